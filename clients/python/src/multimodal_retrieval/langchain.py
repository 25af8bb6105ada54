"""LangChain: `pip install multimodal-retrieval[langchain]`."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from . import AsyncClient, Client, Hit


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
