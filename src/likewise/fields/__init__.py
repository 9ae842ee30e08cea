"""The pieces of the method "likewise": fields over a spectrum, and what they expect."""
