"""Simulated sessions and what they show."""
