"""What can be shown: terms, the kernel that checks certificates, and the methods that search for them."""

ATTNPROOF = "symbolic"
