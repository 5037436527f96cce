"""What can be shown: terms, the kernel that checks certificates, methods that search for them."""

ATTNPROOF = "symbolic"
