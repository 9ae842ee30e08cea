"""How much is learned by asking about a sample."""
