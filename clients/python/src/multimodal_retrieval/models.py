"""What the service answers. Made by `npm run schema` of the service."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """An object of an answer. What a later version adds is an attribute, too; `hit["text"]` is `hit.text`."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, use_attribute_docstrings=True)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class Bindings(Model):
    """The engines in use; ` (down)` is appended while one is unreachable."""

    catalog: str
    """The source of truth."""
    vector_index: list[str]
    """One name per plane."""
    object_store: str
    """Raw sources."""
    key_value: str
    """Shared short-lived state."""
    inference: bool
    """Whether embedding works."""


class HealthResponse(Model):
    """The state of the service."""

    status: str
    """`ok` or `degraded`."""
    service: str
    """The name of the service."""
    version: str
    """Its version."""
    time: str
    """ISO 8601."""
    bindings: Bindings
    """The engines in use."""


class ContextPrincipal(Model):
    """Who is calling."""

    principal_id: str
    """Immutable id of the principal."""
    namespace: str
    """Its home namespace."""
    read_only: bool
    """Whether it has only the permission `read`, whatever its grants."""
    groups: list[str]
    """The groups that count in the requested scope; for `*`, those that count anywhere in the namespace."""


class Context(Model):
    """The resolved enforcement context of a request."""

    principal: ContextPrincipal
    """Who is calling."""
    active_scope: str
    """The scope that the request is bound to."""
    requested_scope: str
    """The requested scope; `*` is everything allowed."""
    effective_scopes: list[str]
    """The requested scope and its registered descendants, where `read` is held; none where the requested scope may not be read."""
    allowed_scopes: list[str]
    """Registered scopes that the caller may see."""
    perms: list[str]
    """The caller's permissions on the requested scope, for display."""
    folders_visible: int
    """How many registered scopes the caller may see."""
    folders_total: int
    """How many scopes the namespace has registered."""


class Scope(Model):
    """A registered scope: a path-like partition of a namespace."""

    scope: str
    """The path, such as `acme/backend`."""
    namespace: str
    """The owning namespace."""
    parent: str | None
    """A registered scope above it: the nearest one, unless an update selected another or none."""
    planes: list[str]
    """Planes enabled for the scope."""
    read_only_agents: bool
    """Agents may only read here and below, whatever their grants."""
    created_at: int
    """Epoch milliseconds."""


class ScopesResponse(Model):
    """A page of a namespace's scopes."""

    scopes: list[Scope]
    """By path."""


class DeleteScopeResponse(Model):
    """What deleting a scope removed. Units are not counted: some may be hidden from the caller."""

    deleted: bool
    """Always true."""
    scopes: int
    """Registered scopes removed, the subtree included."""
    grants: int
    """Grants on them removed."""


class Highlight(Model):
    """Position of a query word in the text of a hit: UTF-16 offsets, end exclusive."""

    start: int
    """First offset."""
    end: int
    """Offset after the last character."""


class Locator(Model):
    """A span inside the raw source."""

    kind: str | None = None
    """Which kind this is."""
    t_start_ms: int | None = None
    """First millisecond."""
    t_end_ms: int | None = None
    """Last millisecond."""
    page: int | None = None
    """Page number."""
    x: float | None = None
    """Left edge."""
    y: float | None = None
    """Top edge."""
    w: float | None = None
    """Width."""
    h: float | None = None
    """Height."""
    start: int | None = None
    """First line."""
    end: int | None = None
    """Last line."""


class LegExplanation(Model):
    """How one leg of the search saw a hit."""

    leg: str
    """The leg, such as `text` or `vector:audio`."""
    rank: int
    """Its rank in this leg, from 1."""
    score: float
    """The score of the engine: BM25 or cosine."""
    normalized: float
    """The score scaled to 0..1 among visible candidates."""
    weight: float
    """The leg's weight in the fusion."""


class Snippet(Model):
    """The part of a Unit's text that matches best."""

    text: str
    """The part."""
    start: int
    """Its UTF-16 offset in the Unit's text."""
    highlights: list[Highlight]
    """Matching words, as offsets in `text`, at most 100."""


class GroupedHit(Model):
    """A hit within a group, with the rank of the group."""

    unit_id: str
    """The id that the service gave it."""
    external_id: str | None
    """The writer's own id."""
    score: float
    """0..1."""
    rank: int
    """The rank, from 1."""
    plane: str
    """Where it is indexed."""
    modality: str
    """What kind of content it is."""
    scope: str
    """Its scope."""
    doc_id: str | None
    """Groups Units under one source."""
    title: str | None = None
    """Ranked with the text, and never quoted: the path of headings above it."""
    text: str | None
    """Text, or extracted caption, OCR or transcript."""
    text_start: int
    """UTF-16 offset of `text` in the Unit's text. If the text is longer than 16 KiB, a hit has only its best passage; `unit` has all of it."""
    highlights: list[Highlight]
    """Matching words, at most 100."""
    source_uri: str | None
    """Pointer to the raw source."""
    mime: str | None
    """Content type of the source."""
    locator: Locator | None
    """Span inside the source."""
    metadata: dict[str, Any]
    """The caller's own fields."""
    language: str | None = None
    """Of the text, as the writer sent it; null where it is detected."""
    created_at: int
    """Epoch milliseconds."""
    explain: list[LegExplanation]
    """The legs of the search that found it."""


class HitGroup(Model):
    """What a group has in common, and the best of it."""

    value: Any
    """The value of `groupBy`; null for a Unit without one, which is a group of its own."""
    hits: list[GroupedHit]
    """At most `groupSize`, best first: the hit that has the group is the first one. A text of more than 4 KiB is cut to its best passage."""


class Hit(Model):
    """A found Unit, and why it was found."""

    unit_id: str
    """The id that the service gave it."""
    external_id: str | None
    """The writer's own id."""
    score: float
    """0..1."""
    rank: int
    """The rank, from 1."""
    plane: str
    """Where it is indexed."""
    modality: str
    """What kind of content it is."""
    scope: str
    """Its scope."""
    doc_id: str | None
    """Groups Units under one source."""
    title: str | None = None
    """Ranked with the text, and never quoted: the path of headings above it."""
    text: str | None
    """Text, or extracted caption, OCR or transcript."""
    text_start: int
    """UTF-16 offset of `text` in the Unit's text. If the text is longer than 16 KiB, a hit has only its best passage; `unit` has all of it."""
    highlights: list[Highlight]
    """Matching words, at most 100."""
    source_uri: str | None
    """Pointer to the raw source."""
    mime: str | None
    """Content type of the source."""
    locator: Locator | None
    """Span inside the source."""
    metadata: dict[str, Any]
    """The caller's own fields."""
    language: str | None = None
    """Of the text, as the writer sent it; null where it is detected."""
    created_at: int
    """Epoch milliseconds."""
    explain: list[LegExplanation]
    """The legs of the search that found it."""
    snippet: Snippet | None = None
    """Of at most `snippetLength` characters; null without it, and without a text."""
    group: HitGroup | None = None
    """Its group; null without `groupBy`."""


class Citation(Model):
    """A verbatim piece of a Unit's text that an answer rests on."""

    marker: int
    """The integer in `[n]`."""
    unit_id: str
    """The Unit, one of the hits."""
    quote: str
    """The Unit's text from `start` to `end`, unchanged."""
    start: int
    """UTF-16 offset in the Unit's text."""
    end: int
    """Offset after the last character."""
    sha256: str
    """SHA-256 of the Unit's whole text in UTF-8, in hex."""
    locator: Locator | None
    """The Unit's span in its source."""
    source_uri: str | None
    """Pointer to the Unit's raw source."""


class Faithfulness(Model):
    """How well the text around the quotes supports the sentences of an answer."""

    method: str
    """The model that checks the support."""
    min: float | None
    """The score of the worst sentence, 0..1; null for an abstention."""
    unsupported: list[str]
    """Sentences that were kept although they are not supported."""


class Answer(Model):
    """An answer that uses only the hits."""

    text: str
    """Sentences, each followed by its citation markers `[n]`."""
    citations: list[Citation]
    """The sources of the markers."""
    nli_faithfulness: float | None
    """The mean over its sentences, 0..1; null for an abstention."""
    confidence: float | None
    """The probability that it answers the question, 0..1; null for an abstention."""
    faithfulness: Faithfulness
    """How well the sentences are supported."""
    abstained: bool
    """True if the hits contain no answer."""
    model: str
    """The model that wrote the answer."""


class FacetValue(Model):
    """A value of a field, and how many Units have it."""

    value: Any
    """As filters take it. Times are epoch milliseconds."""
    count: int
    """Units with this value."""


class Facet(Model):
    """The values of a field. A list counts for each of its values."""

    field: str
    """The field."""
    values: list[FacetValue]
    """The most frequent first, equal ones by value. Values of more than 512 bytes are left out."""
    other: int
    """How often other values occur."""
    missing: int
    """Units without the field."""
    min: float | None
    """The lowest time or number."""
    max: float | None
    """The highest time or number."""


class LegTrace(Model):
    """One leg of a search."""

    leg: str
    """The leg, such as `text` or `vector:audio`."""
    engine: str
    """The engine that answered."""
    candidates: int
    """Number of visible candidates."""
    took_ms: float
    """Milliseconds."""


class UnderstoodQuery(Model):
    """What was understood of `q`."""

    phrases: list[str]
    """What stands in quotes."""
    excluded: list[str]
    """Words and phrases that no hit has."""
    prefix: str | None
    """The word that stands for those that begin with it, too."""
    syntax: str
    """How it was read."""


class FusionTrace(Model):
    """How the scores of the legs were combined."""

    method: str
    """The method."""
    weights: Any
    """The weight of each leg."""


class AnswerStep(Model):
    """One search of an answer."""

    query: str
    """What was searched: the question, or a sub-question."""
    hits: int
    """Number of Units that it found."""
    kept: int
    """How many new ones of them the answer could rest on."""
    took_ms: float
    """Milliseconds."""


class AnswerTrace(Model):
    """How an answer was made."""

    passages: int
    """Number of passages given to the writer."""
    removed: int
    """Number of sentences removed because no citation supports them."""
    steps: list[AnswerStep]
    """The searches, the question's own first."""
    took_ms: float
    """Milliseconds."""


class SearchTrace(Model):
    """How a search result was made."""

    request_id: str
    """The `X-Request-Id`."""
    planes: list[str]
    """Planes searched."""
    clamped_planes: list[str]
    """Requested planes that the tier, key or scope does not enable."""
    legs: list[LegTrace]
    """The legs that answered."""
    query: UnderstoodQuery
    """What was understood of `q`."""
    fusion: FusionTrace
    """How the scores of the legs were combined."""
    rerank: str
    """The reranker that ran, or why none did."""
    more: bool
    """Whether there are hits, or groups, after these: `offset` skips to them."""
    answer: AnswerTrace | None
    """How the answer was made."""
    seq: int
    """The namespace's latest seq."""
    index_seq: int
    """The latest seq in the indexes."""
    degraded: list[str]
    """Parts that failed. Failed legs and `rerank` were left out. For `answer` (writing) and `entailment` (checking) the built-in models were used. With `steps` a further search of an answer failed, or its planning, which rules replaced. With `ranking:builtin-vectors` all other legs failed, and the ranking is much worse."""
    took_ms: float
    """Milliseconds."""


class SearchResponse(Model):
    """The result of a search."""

    hits: list[Hit]
    """Best first."""
    answer: Answer | None
    """Null unless an answer was requested."""
    facets: list[Facet] | None = None
    """Counts of what was found, up to the 10,000 best, in the order of `facets`; null without it."""
    trace: SearchTrace
    """How the result was made."""
    context: Context
    """The enforcement context."""
    hidden_by_acl: int
    """How many of the `topK` hits that a caller without access limits would get for `q` alone, in the same scopes and planes, are hidden from this one. No other field of the query changes it. `hiddenCount` of the namespace and of the key can limit it to 0 or 1, or to 0."""


class AnswerResponse(Model):
    """The result of a search."""

    answer: Answer | None
    """Null unless an answer was requested."""
    hits: list[Hit]
    """Best first."""
    facets: list[Facet] | None = None
    """Counts of what was found, up to the 10,000 best, in the order of `facets`; null without it."""
    trace: SearchTrace
    """How the result was made."""
    context: Context
    """The enforcement context."""
    hidden_by_acl: int
    """How many of the `topK` hits that a caller without access limits would get for `q` alone, in the same scopes and planes, are hidden from this one. No other field of the query changes it. `hiddenCount` of the namespace and of the key can limit it to 0 or 1, or to 0."""


class Unit(Model):
    """A piece of content that the caller may read."""

    unit_id: str
    """The id that the service gave it."""
    external_id: str | None
    """The writer's own id."""
    scope: str
    """Its scope."""
    plane: str
    """Where it is indexed."""
    modality: str
    """What kind of content it is."""
    title: str | None = None
    """Ranked with the text, and never quoted: the path of headings above it."""
    text: str | None
    """Text, or extracted caption, OCR or transcript."""
    language: str | None = None
    """Of the text, as the writer sent it; null where it is detected."""
    doc_id: str | None
    """Groups Units under one source."""
    source_uri: str | None
    """Pointer to the raw source."""
    mime: str | None
    """Content type of the source."""
    locator: Locator | None
    """Span inside the source."""
    acl_owner: str
    """The principal that owns it."""
    acl_groups: list[str]
    """Groups that may read it."""
    metadata: dict[str, Any]
    """The caller's own fields."""
    created_at: int
    """Epoch milliseconds."""
    updated_at: int
    """Epoch milliseconds of the latest change."""


class UnitsResponse(Model):
    """A page of Units in ingest order."""

    units: list[Unit]
    """The visible Units."""
    hidden_by_acl: int
    """Live Units in the listed scopes that the caller may not read, whatever the filters. `hiddenCount` of the namespace and of the key can limit it to 0 or 1, or to 0."""
    context: Context
    """The enforcement context."""
    next_cursor: int | None
    """The `cursor` of the next page; null on the last page."""


class IngestedUnit(Model):
    """The result for one Unit of a batch."""

    unit_id: str
    """Its id."""
    external_id: str | None
    """As sent."""
    status: str
    """The result."""
    scope: str
    """Its scope."""
    modality: str
    """Its modality."""
    plane: str
    """Its plane."""


class IngestCounts(Model):
    """How many Units of the batch each status has."""

    created: int
    """New."""
    updated: int
    """Changed."""
    unchanged: int
    """Number of unchanged Units."""


class IngestResult(Model):
    """The result of a batch, which is durably written."""

    units: list[IngestedUnit]
    """In the order sent."""
    counts: IngestCounts
    """Totals."""
    seq: int
    """The namespace's seq after the write."""
    indexed: bool
    """Whether searches already see it."""


class DeleteResult(Model):
    """What a deletion removed."""

    matched: int
    """Readable Units in writable scopes that matched."""
    tombstoned: int
    """Number of Units deleted, which can still be restored."""
    purged: int
    """Number of Units removed permanently."""
    sources_purged: int
    """Uploaded sources whose bytes were removed."""
    seq: int
    """The namespace's seq after the write."""


class PlaneStats(Model):
    """A plane of the whole namespace. It counts all Units, including those that the caller may not read."""

    plane: str
    """The plane."""
    model: str
    """The embedding model; `own` for vectors that callers send."""
    dims: int
    """The model's dimensions."""
    metric: str
    """How vectors are compared."""
    vectors: int
    """Live Units with a vector."""
    indexed: int
    """Live Units that the indexes hold."""
    lag: int
    """Age of the oldest pending change, deletions included, in milliseconds."""
    health: str
    """`green`: nothing pending longer than 5 s; `yellow`: pending longer; `red`: the engine is unreachable, or has failed to take a pending change for 30 s."""


class Storage(Model):
    """What the namespace stores."""

    object_store_gb: float
    """Uploaded sources, in GB."""
    catalog_rows: int
    """Live Units."""
    vectors: int
    """Live Units with a vector."""


class CatalogStatsResponse(Model):
    """Statistics of a namespace."""

    namespace: str
    """The namespace."""
    scope: str
    """The requested scope."""
    planes: list[PlaneStats]
    """Its planes."""
    queries_per_day: int
    """Searches in the last 24 hours."""
    storage: Storage
    """What it stores."""


class PlaneFreshness(Model):
    """The index state of a plane."""

    plane: str
    """The plane."""
    indexed: int
    """Live Units that the indexes hold."""
    pending: int
    """Units with a change that an index lacks, including deletions, or without an embedding of the current model."""
    lag: int
    """Age of the oldest pending change, deletions included, in milliseconds."""
    health: str
    """`green`: nothing pending longer than 5 s; `yellow`: pending longer; `red`: the engine is unreachable, or has failed to take a pending change for 30 s."""


class CompactionResponse(Model):
    """Index freshness of a namespace."""

    namespace: str
    """The namespace."""
    planes: list[PlaneFreshness]
    """Its planes."""


class CompactedPlane(Model):
    """What a compaction pass did to a plane."""

    plane: str
    """The plane."""
    added: int
    """Units that an index lacked or held outdated."""
    removed: int
    """Units that an index held although they no longer exist."""
    unchanged: int
    """Units that were already right."""
    took_ms: float
    """Milliseconds."""


class CompactResponse(Model):
    """A compaction pass."""

    planes: list[CompactedPlane]
    """The planes reconciled."""
    seq: int
    """The namespace's seq."""


class AuditRow(Model):
    """A row of a namespace's audit log. It never changes."""

    namespace: str
    """The namespace that the chain belongs to."""
    seq: int
    """Its position in the chain: 1, 2, 3 and so on."""
    time: int
    """Epoch milliseconds."""
    principal_id: str
    """The principal that acted."""
    action: str
    """What was done, such as `units.ingest`."""
    target: str | None
    """What the action changed or read: an id, a name or a scope path; null if it is not a single thing."""
    outcome: str
    """`ok`, or the error code of what was refused."""
    request_id: str
    """The `X-Request-Id` of the request."""
    detail: Any
    """Ids and counts; its keys depend on the action."""
    prev_hash: str
    """The hash of the row before; 64 zeros in the first."""
    hash: str
    """SHA-256, in hex, of the 32 bytes of the previous hash followed by the RFC 8785 canonical JSON of the row without the two hashes, in the names of the REST interface."""


class AuditResponse(Model):
    """A page of an audit log."""

    namespace: str
    """The namespace."""
    rows: list[AuditRow]
    """Newest first."""
    count: int
    """Number of rows on all pages that the caller may see."""
    next_cursor: int | None
    """The `cursor` of the next page; null on the last page."""


class VerifyAuditResponse(Model):
    """The result of verifying an audit chain."""

    namespace: str
    """The namespace."""
    intact: bool
    """Whether every row exists and is unchanged."""
    checked: int
    """Number of verified rows, up to the head or the first broken row."""
    head_seq: int
    """The last row when the verification began."""
    head_hash: str
    """The hash of that row; 64 zeros if there are no rows."""
    break_at: int | None
    """Sequence number of the first broken or missing row; null when intact."""
    reason: str | None
    """What is wrong with that row; null if intact."""


class AuditCheckpoint(Model):
    """The signed head of an audit log: its number of rows and their Merkle root (RFC 6962; a leaf is the canonical JSON of a row without its two hashes). Store it to detect any later change or removal of these rows."""

    namespace: str
    """The namespace."""
    origin: str
    """The log's name in the note. It is also the name of the key."""
    size: int
    """Number of rows that it covers."""
    root_hash: str
    """The Merkle root over these rows, in base64."""
    time: int
    """Time of signing, in epoch milliseconds."""
    note: str
    """The checkpoint as a signed note: c2sp.org/tlog-checkpoint."""
    verifier_key: str
    """The public key that verifies the signature, in the format of c2sp.org/signed-note. Fetch it once and store it."""


class AuditProofResponse(Model):
    """A proof (RFC 6962) that a row is in a log, or that a log still begins with its earlier rows."""

    namespace: str
    """The namespace."""
    seq: int | None
    """The row, which is leaf `seq` - 1 of the tree; null in a consistency proof."""
    leaf_hash: str | None
    """Its hash in the tree, in base64."""
    from_: int | None = Field(alias="from")
    """Number of earlier rows; null in an inclusion proof."""
    size: int
    """Rows in the tree of the checkpoint."""
    hashes: list[str]
    """The hashes of the proof in base64, in the order of RFC 6962."""
    checkpoint: AuditCheckpoint
    """The checkpoint to verify the proof against."""


class Namespace(Model):
    """A tenant, with its own scopes, Units and principals."""

    namespace: str
    """The name."""
    tier: str
    """`free`, `pro` or `enterprise`."""
    owner: str | None
    """The principal that claimed it."""
    home: bool
    """Whether it is the caller's home namespace."""
    registered: bool
    """False for a home namespace that was created for a console user and not claimed."""
    planes: list[str]
    """Planes that its tier includes."""
    max_namespaces: int | None
    """Maximum number of registered namespaces that the principals of this home namespace may own together, including this one; null for no limit."""
    created_at: int
    """Epoch milliseconds."""


class NamespacesResponse(Model):
    """A page of the caller's namespaces."""

    namespaces: list[Namespace]
    """By name."""


class DeleteNamespaceResponse(Model):
    """What deleting a namespace removed. Units are not counted."""

    deleted: bool
    """Always true."""
    scopes: int
    """Registered scopes removed."""
    grants: int
    """Grants in the namespace removed."""
    principals: int
    """Principals homed in it removed."""


class Grant(Model):
    """Permissions of a principal on a scope and all below it."""

    id: str
    """Its id."""
    principal_id: str
    """The principal that holds it."""
    namespace: str
    """The namespace in which it applies."""
    scope: str
    """A path, or `*` for everything."""
    perms: list[str]
    """What it allows."""
    groups: list[str]
    """The principal's groups in the scopes that this grant covers with `read`, if the namespace is not its home namespace."""
    granted_by: str
    """The principal that granted it."""
    created_at: int
    """Epoch milliseconds."""


class GrantsResponse(Model):
    """A page of a namespace's grants."""

    grants: list[Grant]
    """Oldest first."""


class DeleteGrantResponse(Model):
    """The result of removing a grant."""

    deleted: bool
    """Always true."""


class Principal(Model):
    """A user, service or agent that sends requests."""

    principal_id: str
    """Its id. It never changes and is never reused."""
    namespace: str
    """Its home namespace."""
    kind: str
    """Its kind."""
    groups: list[str]
    """Its groups in its home namespace."""
    read_only: bool
    """Whether it may only read, whatever its grants."""
    active_scope: str
    """The scope of requests without a scope."""
    created_at: int
    """Epoch milliseconds."""


class PrincipalsResponse(Model):
    """A page of a namespace's principals."""

    principals: list[Principal]
    """Oldest first."""


class CreatePrincipalResponse(Model):
    """A new principal."""

    principal_id: str
    """Its id. It never changes and is never reused."""
    namespace: str
    """Its home namespace."""
    kind: str
    """Its kind."""
    groups: list[str]
    """Its groups in its home namespace."""
    read_only: bool
    """Whether it may only read, whatever its grants."""
    active_scope: str
    """The scope of requests without a scope."""
    created_at: int
    """Epoch milliseconds."""
    token: str
    """Its API token. It is shown only once."""


class DeletePrincipalResponse(Model):
    """What deleting a principal removed."""

    deleted: bool
    """Always true."""
    tokens: int
    """Tokens that no longer work."""
    grants: int
    """Number of its grants in the namespace. Its grants elsewhere are removed too, but not counted."""


class Offer(Model):
    """A way to pay for a plan."""

    cadence: str
    """How often it is paid."""
    price_id: str
    """The payment provider's id of the price."""
    currency: str | None
    """ISO 4217, lower case; null while the payment provider is unavailable."""
    unit_amount: int | None
    """In the smallest unit of the currency; null while the payment provider is unavailable."""


class Plan(Model):
    """A tier that can be bought, and what it includes."""

    tier: str
    """The tier."""
    planes: list[str]
    """Planes that it includes."""
    max_documents: int | None
    """Null for no limit."""
    max_namespaces: int | None
    """Null for no limit."""
    answers: bool
    """Whether it includes answers."""
    rerank: bool
    """Whether it includes reranking."""
    audit: bool
    """Whether it includes the audit log."""
    offers: list[Offer]
    """How it is sold; empty if it is not."""


class PaymentLink(Model):
    """A page to buy a tier without a checkout. Append `?client_reference_id=<principal_id>` to name the principal that receives the tier."""

    tier: str
    """What is bought."""
    cadence: str
    """How it is paid."""
    url: str
    """The payment provider's page."""


class BillingPlansResponse(Model):
    """What can be bought."""

    plans: list[Plan]
    """The tiers."""
    payment_links: list[PaymentLink]
    """Pages to buy on."""
    publishable_key: str | None
    """The payment provider's key for browsers."""
    configured: bool
    """Whether a payment provider is configured."""


class CreateCheckoutResponse(Model):
    """A page to pay on."""

    url: str
    """The payment provider's page."""
    expires_at: int
    """When the page expires, in epoch milliseconds."""


class Purchase(Model):
    """A purchase of the caller."""

    id: str
    """The payment provider's id."""
    tier: str | None
    """The tier; null if none."""
    cadence: str | None
    """How it is paid; null for a price that is no longer sold."""
    status: str
    """A subscription's status in the provider's words (`missing`: the provider does not know it); of a lifetime `paid`, `unpaid`, `refunded` or `disputed`."""
    active: bool
    """Whether it counts now."""
    ends_at: int | None
    """When it ends without further payment, in epoch milliseconds."""
    period_end: int | None
    """When the current period ends, epoch milliseconds; null for a lifetime."""


class BillingSubscriptionResponse(Model):
    """The caller's tier and purchases."""

    namespace: str
    """The caller's home namespace."""
    tier: str
    """The tier of the home: `free`, `pro` or `enterprise`."""
    paid_tier: str | None
    """The tier from the caller's own payments; null if none."""
    changes_at: int | None
    """When this tier ends without further payment, in epoch milliseconds."""
    subscriptions: list[Purchase]
    """The caller's purchases, including ended ones."""


class CreateBillingPortalResponse(Model):
    """A page to change or cancel what was bought."""

    url: str
    """The payment provider's page."""


class ReceiveBillingEventResponse(Model):
    """The result of receiving an event."""

    received: bool
    """Always true."""
    duplicate: bool
    """True if the event was already received. Then nothing changed."""


class Reconciled(Model):
    """The result of a reconciliation for one kind of object."""

    checked: int
    """Number of queries."""
    repaired: int
    """Number that were missing or different here."""


class ReconcileBillingResponse(Model):
    """The result of a reconciliation."""

    pages: int
    """Number of pages read."""
    events: Reconciled
    """Events that concern tiers, of the last 30 days."""
    subscriptions: Reconciled
    """Subscriptions."""
    purchases: Reconciled
    """Purchases and their charges."""
    payers: Reconciled
    """Principals that pay or paid; repaired if their tier did not match their payments."""
    tiers_changed: int
    """Namespaces whose tier changed."""
    next_cursor: str | None
    """The cursor to continue with if the time was too short; null at the end."""


class SeededPrincipal(Model):
    """A principal of the demo dataset."""

    principal_id: str
    """Its id."""
    namespace: str
    """Its home namespace."""
    tier: str
    """The namespace's tier."""
    scope: str
    """What its grant covers."""
    perms: list[str]
    """What its grant allows."""
    groups: list[str]
    """Its groups."""
    read_only: bool
    """Whether it may only read."""


class SeedResponse(Model):
    """The result of seeding."""

    principals: list[SeededPrincipal]
    """The demo principals."""
    scopes: list[str]
    """The demo scopes."""
    tokens: Any
    """Their tokens, by name. They are shown only once."""
    counts: Any
    """Number of objects of each kind."""


class BenchmarkEntry(Model):
    """How long the service took to answer golden queries, without network time."""

    operation: str
    """`search` (the best 50) or `answer` (from the best 10)."""
    p50_ms: float
    """The median, in milliseconds."""
    p95_ms: float
    """The 95th percentile, in milliseconds."""
    queries: int
    """Number of queries."""


class EvalEntry(Model):
    """A quality metric over golden queries, 0..1."""

    metric: str
    """`ndcg@10`, `recall@50`, `mrr@50` of searches; of answers `answered` (the share without abstentions), `citation_precision` (the share of citations whose Unit is expected), `faithfulness` (the mean of `nliFaithfulness`) and `answer_recall` (the share of the words of the best expected answer that the answer holds)."""
    mean: float
    """Mean over the queries."""
    low: float
    """Lower end of the 95 % bootstrap interval of the mean."""
    high: float
    """Upper end of the interval."""
    queries: int
    """Number of queries that have this metric. For example, an abstention has no citations."""


class BenchmarkReportResponse(Model):
    """A published report. It has aggregates only, no texts or ids."""

    benchmarks: list[BenchmarkEntry]
    """Speed."""
    evals: list[EvalEntry]
    """Quality."""
    generated_at: str
    """ISO 8601; the current time if nothing was published."""


class Group(Model):
    """A group of principals, to which Units can be open."""

    display_name: str | None
    """A name for people to read; null without one."""
    groups: list[str]
    """The groups that it holds, by name: their members are in it, too."""
    members: int
    """How many principals are in it, also through other groups and by grants."""
    name: str
    """Its name."""
    source: str
    """Where its members come from."""
    units: int
    """How many Units name it, of those that the caller may read."""


class ApiKey(Model):
    """An API key of a principal. It has the principal's current permissions, limited by its own restrictions."""

    created_at: int
    """Epoch milliseconds."""
    expires_at: int | None
    """Epoch milliseconds; null if it does not expire."""
    groups: list[str] | None
    """The only groups of the principal that count; null if all count."""
    hidden_count: str | None
    """The most that it learns of hidden Units; null if the setting of the namespace decides alone."""
    id: str
    """Identifies the key. It is not a secret."""
    last_used_at: int | None
    """Epoch milliseconds, recorded about once a minute; null if never used."""
    name: str
    """The chosen name. It is part of the token."""
    perms: list[str] | None
    """The only permissions that it has; null if it has all of the principal's."""
    planes: list[str] | None
    """The only planes that it may use; null if it may use all enabled planes."""
    scope_prefix: str | None
    """It may use only this scope and those below it; null if it may use all scopes of the principal."""


class NewApiKey(Model):
    """A new API key."""

    key: ApiKey
    """The key."""
    token: str
    """The bearer token. It is shown only once; the service stores its SHA-256."""


class Upload(Model):
    """A link that takes the bytes of a source once."""

    expires_at: int
    """Epoch milliseconds, at most ten minutes from now."""
    url: str
    """PUT the raw bytes there, without a credential. The answer is `{source_uri, mime, bytes, sha256}`. It begins with `PUBLIC_URL`, or is a path if that is not set."""


class SourceDeletion(Model):
    """Whether a source was removed."""

    deleted: bool
    """False while a Unit or document names it."""
    source_uri: str
    """The source."""


class Document(Model):
    """A file, and the Units that the service makes of it."""

    acl_groups: list[str]
    """Groups that may read it."""
    attempts: int
    """Tries of the last version that have ended."""
    bytes: int
    """Size of the file."""
    created_at: int
    """Epoch milliseconds."""
    detail: str | None
    """The same in one sentence; of a ready document, why a picture of it was not read."""
    doc_id: str
    """The `docId` of its Units."""
    document_id: str
    """The id that the service gave it."""
    metadata: dict[str, Any]
    """What its Units carry, with the path."""
    mime: str
    """Content type."""
    name: str
    """The path of the file."""
    parent: str | None
    """The `documentId` of the document that it is an attachment of."""
    reason: str | None
    """Why the last version could not be taken in. Only for its writer."""
    scope: str
    """Its scope."""
    sha256: str | None
    """SHA-256 in hex of the version whose Units are found; null if there is none."""
    source_uri: str | None
    """The source of that version."""
    status: str
    """How far the service is with it."""
    units: int
    """Its live Units that the caller may read."""
    updated_at: int
    """Epoch milliseconds."""


class DocumentPage(Model):
    """A page of documents by docId."""

    documents: list[Document]
    """Those that the caller may see."""
    next_cursor: int | None
    """The `cursor` of the next page; null on the last page."""


class ApiKeyPage(Model):
    """A page of a principal's keys."""

    count: int
    """What the caller may see, on all pages together."""
    keys: list[ApiKey]
    """Oldest first."""
    next_cursor: int | None
    """The `cursor` of the next page; null on the last page."""


class AccessGrant(Model):
    """A grant that decides."""

    id: str
    """Its id."""
    perms: list[str]
    """What it allows."""
    scope: str
    """A path, or `*` for everything."""


class AccessReason(Model):
    """A reason why an access is allowed or denied."""

    code: str
    """The reason as a code."""
    detail: str
    """The reason as text."""
    effect: str
    """The effect of the reason."""
    grant: AccessGrant | None
    """The grant concerned."""
    group: str | None
    """The group concerned; `*` is everyone in the scope."""
    scope: str | None
    """The scope that is read-only to agents."""


class AccessVerdict(Model):
    """Whether an access is allowed, and why."""

    allowed: bool
    """True unless a reason denies it."""
    reasons: list[AccessReason]
    """All reasons, for and against."""


class AccessExplanation(Model):
    """What a principal may do now with a token without restrictions."""

    principal_id: str
    """The principal."""
    principal_name: str | None
    """The name of the principal; null without one."""
    read: AccessVerdict
    """Whether it may read the Unit, or anything in the scope."""
    write: AccessVerdict
    """Whether it may change or delete the Unit, or write in the scope."""


class AuditExport(Model):
    """A link that exports an audit log once."""

    expires_at: int
    """Epoch milliseconds, at most ten minutes from now."""
    url: str
    """The address of the log. The first GET returns it, without a credential. It begins with `PUBLIC_URL`, or is a path if that is not set."""


class FacetsResponse(Model):
    """Counts of the Units that the caller may read."""

    count: int
    """Units that meet all filters."""
    facets: list[Facet]
    """In the order of `fields`."""
    metadata_keys: list[str]
    """Keys of `metadata`, the most frequent first, at most 100."""


class GroupMember(Model):
    """A principal in a group."""

    direct: bool
    """False if it is in the group only through other groups."""
    kind: str
    """Its kind."""
    name: str | None
    """Its name; null without one."""
    principal_id: str
    """Its id."""


class GroupMemberPage(Model):
    """A page of the principals in a group."""

    count: int
    """What the caller may see, on all pages together."""
    members: list[GroupMember]
    """By id."""
    next_cursor: int | None
    """The `cursor` of the next page; null on the last page."""


class GroupPage(Model):
    """A page of a namespace's groups."""

    count: int
    """What the caller may see, on all pages together."""
    groups: list[Group]
    """By name."""
    next_cursor: int | None
    """The `cursor` of the next page; null on the last page."""


class ApiKeyRevocation(Model):
    """A key that no longer works."""

    id: str
    """The id of the key."""
    revoked: bool
    """Always true."""


class Source(Model):
    """An uploaded raw source."""

    bytes: int
    """Size."""
    created_at: int
    """Epoch milliseconds."""
    mime: str
    """Content type."""
    name: str | None
    """File name."""
    sha256: str
    """SHA-256 of the bytes, in hex."""
    source_uri: str
    """The `sourceUri` for Units of this source."""


class UpdatePrincipalResponse(Model):
    """A user, service or agent that sends requests."""

    principal_id: str
    """Its id. It never changes and is never reused."""
    name: str | None
    """For people to read; it selects nothing. Null without one."""
    email: str | None
    """The address of a person who signs in."""
    namespace: str
    """Its home namespace."""
    kind: str
    """Its kind."""
    groups: list[str]
    """Its groups in its home namespace."""
    read_only: bool
    """Whether it may only read, whatever its grants."""
    active_scope: str
    """The scope of requests without a scope."""
    created_at: int
    """Epoch milliseconds."""


class UpdateReadersResult(Model):
    """The result of a change of readers."""

    indexed: bool
    """Whether searches already find them by their new readers. They find none by the old ones."""
    matched: int
    """Units that now have these readers, those included that had them before."""
    seq: int
    """The namespace's seq after the write."""


class AnswerSentence(Model):
    """A sentence of an answer, which its citations support."""

    citations: list[Citation]
    """The sources of its markers."""
    faithfulness: float
    """How well the text around its quotes supports it, 0..1."""
    index: int
    """Its place in the answer, from 0."""
    text: str
    """The sentence, followed by its citation markers `[n]`."""
