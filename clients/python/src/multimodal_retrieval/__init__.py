"""The client of the multimodal retrieval service."""

from ._async import AsyncClient
from ._sync import Client
from .errors import (
    BadRequest,
    ConnectionError,
    Forbidden,
    InternalError,
    NotFound,
    NotModified,
    QuotaExceeded,
    RateLimited,
    SvcError,
    Unauthorized,
    Unavailable,
    UpgradeRequired,
)
from .models import (
    Answer,
    Citation,
    DeleteResult,
    Document,
    Hit,
    IngestResult,
    SearchResponse,
    Source,
    Unit,
)
from .models import AnswerSentence as Sentence
from .verify import ExportVerdict, Verdict, verify_citation, verify_consistency, verify_export, verify_inclusion

__all__ = [
    "Answer",
    "AsyncClient",
    "BadRequest",
    "Citation",
    "Client",
    "ConnectionError",
    "DeleteResult",
    "Document",
    "ExportVerdict",
    "Forbidden",
    "Hit",
    "IngestResult",
    "InternalError",
    "NotFound",
    "NotModified",
    "QuotaExceeded",
    "RateLimited",
    "SearchResponse",
    "Sentence",
    "Source",
    "SvcError",
    "Unauthorized",
    "Unavailable",
    "Unit",
    "UpgradeRequired",
    "Verdict",
    "verify_citation",
    "verify_consistency",
    "verify_export",
    "verify_inclusion",
]
