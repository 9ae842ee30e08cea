"""The web app: two things, one question, and after a few dozen keys a sorted pile."""
