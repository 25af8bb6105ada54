"""Haystack: `pip install multimodal-retrieval[haystack]`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.utils import Secret, deserialize_secrets_inplace

from . import BadRequest, Client
from ._store import Found, Store, id_of, never

Json = dict[str, Any]

_operators = {"==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "in": "in", "not in": "nin"}


class MultimodalRetrievalDocumentStore:
    """
    The Units of a scope as documents, whose ids are external ids. The service embeds texts, or with `own_vectors` keeps
    the documents' embeddings, which it does not give back.
    """

    def __init__(
        self,
        base_url: str,
        token: Secret = Secret.from_env_var("MULTIMODAL_RETRIEVAL_TOKEN"),  # noqa: B008
        *,
        scope: str | None = None,
        namespace: str | None = None,
        own_vectors: bool = False,
    ) -> None:
        self._init = {"base_url": base_url, "scope": scope, "namespace": namespace, "own_vectors": own_vectors}
        self._token = token
        self._own_vectors = own_vectors
        self.store = Store(Client(base_url, token.resolve_value(), scope=scope, namespace=namespace))

    def to_dict(self) -> Json:
        return default_to_dict(self, token=self._token.to_dict(), **self._init)

    @classmethod
    def from_dict(cls, data: Json) -> MultimodalRetrievalDocumentStore:
        deserialize_secrets_inplace(data["init_parameters"], keys=["token"])
        return default_from_dict(cls, data)

    def count_documents(self) -> int:
        return self.store.count()[0]

    def filter_documents(self, filters: Json | None = None) -> list[Document]:
        """In the order in which they were written."""
        try:
            return [document_of(unit) for unit in self.store.units(filter_of(filters))]
        except BadRequest as error:
            raise FilterError(error.detail) from error

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Without a policy documents are overwritten."""
        if not isinstance(documents, list) or not all(isinstance(one, Document) for one in documents):
            raise ValueError("documents must be a list of Document")
        if policy in (DuplicatePolicy.FAIL, DuplicatePolicy.SKIP):
            known = {id_of(unit) for unit in self.store.by_ids([one.id for one in documents])}
            if known and policy is DuplicatePolicy.FAIL:
                raise DuplicateDocumentError(f"documents exist already: {', '.join(sorted(known))}")
            documents = [one for one in documents if one.id not in known]
        self.store.write(self._unit(one) for one in documents)
        return len(documents)

    def _unit(self, document: Document) -> Json:
        vector = document.embedding if self._own_vectors else None
        unit = {"external_id": document.id, "text": document.content, "metadata": document.meta, "vector": vector}
        return {name: value for name, value in unit.items() if value is not None}

    def delete_documents(self, document_ids: list[str]) -> None:
        self.store.delete(ids=document_ids)

    def delete_all_documents(self) -> None:
        self.store.delete(filter={"created_after": 0})

    def delete_by_filter(self, filters: Json) -> int:
        return self.store.delete(filter=filter_of(filters))


@component
class MultimodalRetrievalRetriever:
    """Finds documents by words and meaning, or by an embedding where the store has `own_vectors`."""

    def __init__(self, document_store: MultimodalRetrievalDocumentStore, filters: Json | None = None, top_k: int = 10):
        self.document_store, self.filters, self.top_k = document_store, filters, top_k

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str = "",
        query_embedding: list[float] | None = None,
        filters: Json | None = None,
        top_k: int | None = None,
    ) -> dict[str, list[Document]]:
        vector = {"text": query_embedding} if query_embedding is not None else None
        fields = {"filters": filter_of(filters or self.filters), "vector": vector}
        hits = self.document_store.store.search(query, top_k or self.top_k, **fields)
        return {"documents": [document_of(hit, hit.score) for hit in hits]}


def document_of(unit: Found, score: float | None = None) -> Document:
    return Document(id=id_of(unit), content=unit.text, meta=unit.metadata, score=score)


def filter_of(one: Json | None) -> Json | None:
    """A filter of Haystack as the service's."""
    if not one:
        return None
    for name in ("operator", "value" if "field" in one else "conditions"):
        if name not in one:
            raise FilterError(f"{name} is missing in {one}")
    operator = one["operator"]
    if "field" not in one:
        if operator not in ("AND", "OR", "NOT"):
            raise FilterError(f"{operator} is not AND, OR or NOT")
        each = [filter_of(condition) for condition in one["conditions"]]
        return {"not": {"and": each}} if operator == "NOT" else {operator.lower(): each}
    field, value = str(one["field"]), one["value"]
    if operator not in _operators or field in ("content", "blob", "embedding", "sparse_embedding", "score"):
        raise FilterError(f"{field} {operator}: documents are not filtered by that")

    def on(condition: Json) -> Json:
        return {"external_id": condition} if field == "id" else {"metadata": {field.removeprefix("meta."): condition}}

    if operator in ("in", "not in"):
        if not isinstance(value, list):
            raise FilterError(f"{operator} needs a list")
        if not value:
            return never(on) if operator == "in" else {"not": never(on)}
    elif operator in (">", ">=", "<", "<="):
        if value is None:
            return never(on)
        value = value.isoformat() if isinstance(value, datetime) else value
        if not _is_ordered(value):
            raise FilterError(f"{operator} needs a number or a time in ISO 8601")
    return on({_operators[operator]: value})


def _is_ordered(value: Any) -> bool:
    try:
        return isinstance(value, (int, float)) or bool(datetime.fromisoformat(value))
    except (TypeError, ValueError):
        return False
