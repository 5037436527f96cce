"""What a task costs: dependency trees, dispatch plans and laws of difficulty, before training."""

ATTNPROOF = "infoflow"
