"""What a release is made and checked with: ``make dist`` and ``make lowest``."""
