"""The client of Hermod, the webhook delivery service."""

from ._pull import PulledWebhook
from ._types import *  # noqa: F403
from ._verify import TOLERANCE, VerifiedWebhook, verify
from ._version import __version__
from .client import AsyncHermod, Hermod
from .errors import HermodError, HermodUnreachable, WebhookVerificationError
from .exact_json import RawJson

__all__ = [
    "TOLERANCE",
    "AsyncHermod",
    "Hermod",
    "HermodError",
    "HermodUnreachable",
    "PulledWebhook",
    "RawJson",
    "VerifiedWebhook",
    "WebhookVerificationError",
    "__version__",
    "verify",
]
