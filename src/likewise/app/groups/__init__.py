"""The groups pages: look through what was sorted, put it right, and trust it."""
