"""From files to vectors."""
