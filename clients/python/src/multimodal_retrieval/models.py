"""What the service answers. Fields that a later version adds are kept as attributes."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class _Model(BaseModel):
    model_config = ConfigDict(extra="allow")


class Unit(_Model):
    unit_id: str
    external_id: str | None = None
    scope: str
    plane: str
    modality: str
    text: str | None = None
    doc_id: str | None = None
    source_uri: str | None = None
    mime: str | None = None
    locator: dict[str, Any] | None = None
    metadata: dict[str, Any] = {}
    created_at: int = 0


class Hit(Unit):
    score: float
    rank: int


class Citation(_Model):
    """A quote: `text[start:end]` of the Unit in UTF-16 units; `sha256` is that of the whole text."""

    marker: int
    unit_id: str
    quote: str
    start: int
    end: int
    sha256: str
    locator: dict[str, Any] | None = None
    source_uri: str | None = None


class Answer(_Model):
    text: str
    citations: list[Citation]
    abstained: bool
    nli_faithfulness: float | None = None
    confidence: float | None = None
    model: str


class SearchResponse(_Model):
    hits: list[Hit]
    answer: Answer | None = None
    hidden_by_acl: int = 0
    trace: dict[str, Any]
    context: dict[str, Any]


class Sentence(_Model):
    """A sentence of an answer that is being made."""

    index: int
    text: str
    citations: list[Citation]
    faithfulness: float


class UnitPage(_Model):
    units: list[Unit]
    hidden_by_acl: int = 0
    next_cursor: int | None = None


class IngestResult(_Model):
    units: list[dict[str, Any]]
    counts: dict[str, int]
    seq: int
    indexed: bool


class DeleteResult(_Model):
    matched: int
    tombstoned: int
    purged: int
    sources_purged: int
    seq: int


class Source(_Model):
    source_uri: str
    mime: str
    bytes: int
    sha256: str


class Document(_Model):
    document_id: str
    doc_id: str
    scope: str
    name: str
    mime: str
    bytes: int
    status: str
    reason: str | None = None
    detail: str | None = None
    units: int
    metadata: dict[str, Any] = {}
