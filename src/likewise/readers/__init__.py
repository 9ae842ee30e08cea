"""Models as readers: what answers questions by itself, over an endpoint."""

from likewise.readers._band import (
    LIMIT,
    WORTH,
    Band,
    Calibration,
    Check,
    band,
    calibrated,
    checked,
    error_of,
    heard,
    overruled,
)
from likewise.readers._contents import EDGE, Content, Picture, ProjectContents
from likewise.readers._endpoint import KEY, OLLAMA, Endpoint, Patience, is_loopback
from likewise.readers._first import FirstReader, Moment
from likewise.readers._model import SURE, Choice, Judgement, ModelOracle
from likewise.readers._prompts import PROMPT_VERSION, Prompt
from likewise.readers._reading import WAYS, ModelReader, Step
from likewise.readers._replies import Replies, Reply, Token
from likewise.readers._spending import Limits, Prices, Spent

__all__ = [
    "EDGE",
    "KEY",
    "LIMIT",
    "OLLAMA",
    "PROMPT_VERSION",
    "SURE",
    "WAYS",
    "WORTH",
    "Band",
    "Calibration",
    "Check",
    "Choice",
    "Content",
    "Endpoint",
    "FirstReader",
    "Judgement",
    "Limits",
    "ModelOracle",
    "ModelReader",
    "Moment",
    "Patience",
    "Picture",
    "Prices",
    "ProjectContents",
    "Prompt",
    "Replies",
    "Reply",
    "Spent",
    "Step",
    "Token",
    "band",
    "calibrated",
    "checked",
    "error_of",
    "heard",
    "is_loopback",
    "overruled",
]
