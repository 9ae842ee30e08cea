"""The map: a picture of all items, coloured by group."""
