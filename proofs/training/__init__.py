"""What training shows: the Kuramoto language model, and sealed predictions put to the test."""
