"""Ask and tell: the session, its journal, what it shows, and what drives it."""

from likewise.methods import Errors, Rate
from likewise.session._agreement import FEW, Agreement, agreement_in, opinions
from likewise.session._coarse import coarse_session, is_long
from likewise.session._control import Reliability, is_due, reliability
from likewise.session._estimator import ActiveClustering
from likewise.session._map import (
    Plane,
    plane_of,
    plane_of_affinity,
    plane_of_graph,
    way_of,
)
from likewise.session._open import FEATURES, session_on
from likewise.session._oracles import FunctionOracle, LabelOracle, run
from likewise.session._overlap import (
    MODEL,
    OVERLAP,
    SHARE,
    is_model,
    is_overlap_due,
    is_second,
    referral_of,
    second_opinion,
)
from likewise.session._readers import Reader
from likewise.session._review import Repairs, Revision
from likewise.session._screens import GLANCED, PER_CHECK, same_in, unsure_in
from likewise.session._session import Session
from likewise.session._slips import Doubts, Suspect, clash_of, is_deciding, suspects
from likewise.session._splitting import (
    Likeness,
    fusing_answer,
    likeness_of,
    parts_within,
)
from likewise.session._start import links_of_labels
from likewise.session._summary import (
    Candidate,
    Group,
    Numbers,
    Progress,
    Status,
    Statuses,
    View,
    candidates_of,
    cluster_names,
    clusters_in,
    each_once,
    explained,
    groups_of,
    progress_of,
    reason_for,
    statuses_of,
    statuses_within,
    usual_minutes,
    usual_questions,
    why_pick,
)

__all__ = [
    "FEATURES",
    "FEW",
    "GLANCED",
    "MODEL",
    "OVERLAP",
    "PER_CHECK",
    "SHARE",
    "ActiveClustering",
    "Agreement",
    "Candidate",
    "Doubts",
    "Errors",
    "FunctionOracle",
    "Group",
    "LabelOracle",
    "Likeness",
    "Numbers",
    "Plane",
    "Progress",
    "Rate",
    "Reader",
    "Reliability",
    "Repairs",
    "Revision",
    "Session",
    "Status",
    "Statuses",
    "Suspect",
    "View",
    "agreement_in",
    "candidates_of",
    "clash_of",
    "cluster_names",
    "clusters_in",
    "coarse_session",
    "each_once",
    "explained",
    "fusing_answer",
    "groups_of",
    "is_deciding",
    "is_due",
    "is_long",
    "is_model",
    "is_overlap_due",
    "is_second",
    "likeness_of",
    "links_of_labels",
    "opinions",
    "parts_within",
    "plane_of",
    "plane_of_affinity",
    "plane_of_graph",
    "progress_of",
    "reason_for",
    "referral_of",
    "reliability",
    "run",
    "same_in",
    "second_opinion",
    "session_on",
    "statuses_of",
    "statuses_within",
    "suspects",
    "unsure_in",
    "usual_minutes",
    "usual_questions",
    "way_of",
    "why_pick",
]
