"""Data to cluster, by name."""

from likewise.datasets._dataset import Dataset, coded
from likewise.datasets._load import DATASETS, Entry, load

__all__ = ["DATASETS", "Dataset", "Entry", "coded", "load"]
