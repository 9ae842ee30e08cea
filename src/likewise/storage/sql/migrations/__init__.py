"""The steps from each version of the tables to the next, run by `upgrade`."""
