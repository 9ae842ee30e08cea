"""Models as readers: what answers questions by itself, over an endpoint."""

from likewise.readers._contents import EDGE, Content, Picture, ProjectContents
from likewise.readers._endpoint import Endpoint, Patience, is_loopback
from likewise.readers._model import Choice, Judgement, ModelOracle
from likewise.readers._prompts import PROMPT_VERSION, Prompt
from likewise.readers._reading import WAYS, ModelReader, Step
from likewise.readers._replies import Replies, Reply, Token
from likewise.readers._spending import Limits, Prices, Spent

__all__ = [
    "EDGE",
    "PROMPT_VERSION",
    "WAYS",
    "Choice",
    "Content",
    "Endpoint",
    "Judgement",
    "Limits",
    "ModelOracle",
    "ModelReader",
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
    "is_loopback",
]
