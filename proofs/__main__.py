"""`python -m proofs` is `attnproof`."""

from proofs.cli import main

if __name__ == "__main__":
    main()
