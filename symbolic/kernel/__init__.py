"""The trusted core: whatever can prove, certify or refute lives in this folder and nowhere else."""
