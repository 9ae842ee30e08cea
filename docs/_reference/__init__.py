"""Pages that are made of the code itself: names in Python, routes, commands."""
