"""Active clustering by others since the paper: the bar that matters today."""

from likewise.methods._peers._a3s import A3S
from likewise.methods._peers._cobras import COBRAS
from likewise.methods._peers._lca import LCA
from likewise.methods._peers._npu import NPU

__all__ = ["A3S", "COBRAS", "LCA", "NPU"]
