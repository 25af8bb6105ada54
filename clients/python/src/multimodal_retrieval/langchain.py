"""LangChain: `pip install multimodal-retrieval[langchain]`."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore as BaseVectorStore
from pydantic import ConfigDict

from . import AsyncClient, Client, Hit
from ._store import Store, id_of


class Retriever(BaseRetriever):
    """
    Finds Units as documents: the text, and in the metadata the Unit's own with `score`, `unit_id`, `scope`, `doc_id`
    and `source_uri`. `k`, `filters` and `min_score` may also be given to `invoke`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Client
    async_client: AsyncClient | None = None
    k: int = 10
    filters: dict[str, Any] | None = None
    min_score: float | None = None
    rerank: bool | None = None

    def _query(self, given: dict[str, Any]) -> dict[str, Any]:
        return {
            "top_k": given.get("k", self.k),
            "filters": given.get("filters", self.filters),
            "min_score": given.get("min_score", self.min_score),
            "rerank": given.get("rerank", self.rerank),
        }

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **given: Any
    ) -> list[Document]:
        return [document_of(hit) for hit in self.client.search(query, **self._query(given)).hits]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **given: Any
    ) -> list[Document]:
        if self.async_client is None:
            return await super()._aget_relevant_documents(query, run_manager=run_manager, **given)
        return [document_of(hit) for hit in (await self.async_client.search(query, **self._query(given))).hits]


def document_of(hit: Hit) -> Document:
    own = {name: getattr(hit, name) for name in ("score", "unit_id", "scope", "doc_id", "source_uri")}
    return Document(id=hit.unit_id, page_content=hit.text or "", metadata={**hit.metadata, **own})


class VectorStore(BaseVectorStore):
    """
    The Units of a scope as documents, whose ids are external ids. Without `embedding` the service embeds texts and
    ranks by words and meaning. With it, its vectors alone rank. `filter` is the service's:
    `{"metadata": {"year": 2026}}`.
    """

    def __init__(self, client: Client, embedding: Embeddings | None = None) -> None:
        self._store = Store(client)
        self._embedding = embedding

    @property
    def embeddings(self) -> Embeddings | None:
        return self._embedding

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        sent = [*texts]
        named = [id or str(uuid.uuid4()) for id in ids or [None] * len(sent)]
        vectors = self._embedding.embed_documents(sent) if self._embedding else [None] * len(sent)
        each = zip(sent, metadatas or [{}] * len(sent), named, vectors, strict=True)
        self._store.write(
            {"text": text, "metadata": metadata, "external_id": id, **({"vector": vector} if vector else {})}
            for text, metadata, id, vector in each
        )
        return named

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        if ids is None:
            raise ValueError("ids is required")
        self._store.delete(ids=ids)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        found = self._store.by_ids(ids)
        return [Document(id=id_of(unit), page_content=unit.text or "", metadata=unit.metadata) for unit in found]

    def similarity_search_with_score(
        self, query: str, k: int = 4, filter: dict[str, Any] | None = None, **fields: Any
    ) -> list[tuple[Document, float]]:
        """`fields` are those of a search: `min_score`, `diversity`, …"""
        if self._embedding:
            fields["vector"] = {"text": self._embedding.embed_query(query)}
        hits = self._store.search("" if self._embedding else query, k, filters=filter, **fields)
        return [
            (Document(id=id_of(hit), page_content=hit.text or "", metadata=hit.metadata), hit.score) for hit in hits
        ]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    def _similarity_search_with_relevance_scores(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        return self.similarity_search_with_score(query, k, **kwargs)

    def max_marginal_relevance_search(
        self, query: str, k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **kwargs: Any
    ) -> list[Document]:
        return self.similarity_search(query, k, diversity=1 - lambda_mult, **kwargs)

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        client: Client | None = None,
        **kwargs: Any,
    ) -> VectorStore:
        if client is None:
            raise ValueError("client is required")
        store = cls(client, embedding)
        store.add_texts(texts, metadatas, ids=ids)
        return store
