"""LlamaIndex: `pip install multimodal-retrieval[llamaindex]`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, TextNode
from llama_index.core.vector_stores import types
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters
from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict

from . import Client
from ._store import Found, Store, id_of, never

Json = dict[str, Any]
Ids = list[str] | None

_operators = {"==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "in": "in", "nin": "nin"}
_operators |= {"any": "in", "all": "all", "contains": "contains", "text_match": "contains"}
_of_document = ("doc_id", "ref_doc_id", "document_id")


class VectorStore(types.BasePydanticVectorStore):
    """
    The Units of a scope as nodes, whose ids are external ids. The service embeds texts and ranks by words and meaning.
    With `own_vectors` the index's embedding model does: `DEFAULT` ranks by vectors alone, `HYBRID` by both.
    """

    _store: Store = PrivateAttr()

    def __init__(self, client: Client, *, own_vectors: bool = False) -> None:
        super().__init__(stores_text=True, is_embedding_query=own_vectors)
        self._store = Store(client)

    @property
    def client(self) -> Client:
        return self._store.client

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        self._store.write(self._unit(node) for node in nodes)
        return [node.node_id for node in nodes]

    def _unit(self, node: BaseNode) -> Json:
        kept = node_to_metadata_dict(node, remove_text=True)
        own = {name: value for name, value in kept.items() if name not in _of_document}
        # The metadata is stored once.
        own["_node_content"] = json.dumps({**json.loads(kept["_node_content"]), "metadata": {}}, ensure_ascii=False)
        vector, text = node.embedding if self.is_embedding_query else None, node.get_content(MetadataMode.NONE)
        unit = {"external_id": node.node_id, "text": text, "doc_id": node.ref_doc_id, "vector": vector, "metadata": own}
        return {name: value for name, value in unit.items() if value is not None}

    def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
        self._store.delete(filter={"doc_id": ref_doc_id})

    def delete_nodes(self, node_ids: Ids = None, filters: MetadataFilters | None = None, **kwargs: Any) -> None:
        self._store.delete(filter=self._filters(filters, node_ids))

    def clear(self) -> None:
        self._store.delete(filter={"created_after": 0})

    def get_nodes(self, node_ids: Ids = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        return [_node(unit) for unit in self._store.units(self._filters(filters, node_ids))]

    def query(self, query: types.VectorStoreQuery, **kwargs: Any) -> types.VectorStoreQueryResult:
        vector, text = query.query_embedding, query.query_str or ""
        fields: Json = {"filters": self._filters(query.filters, query.node_ids, query.doc_ids)}
        if query.mode.value in ("svm", "logistic_regression", "linear_regression"):
            raise ValueError(f"mode {query.mode.value} is not supported")
        if vector is not None and query.mode.value not in ("text_search", "sparse"):
            fields["vector"] = {"text": vector}
            hybrid = "hybrid" in query.mode.value
            text = text if hybrid else ""
            if hybrid and query.alpha is not None:
                fields["vector_weight"] = 100 if query.alpha > 0.99 else query.alpha / (1 - query.alpha)
        if query.mode.value == "mmr":
            fields["diversity"] = 0.5 if query.mmr_threshold is None else 1 - query.mmr_threshold
        hits = self._store.search(text, query.hybrid_top_k or query.similarity_top_k, **fields)
        nodes, ids = [_node(hit) for hit in hits], [id_of(hit) for hit in hits]
        return types.VectorStoreQueryResult(nodes=nodes, similarities=[hit.score for hit in hits], ids=ids)

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        return await asyncio.to_thread(self.add, nodes)

    async def aquery(self, query: types.VectorStoreQuery, **kwargs: Any) -> types.VectorStoreQueryResult:
        return await asyncio.to_thread(self.query, query)

    def _filters(self, filters: MetadataFilters | None, node_ids: Ids, doc_ids: Ids = None) -> Json | None:
        ids = [{name: {"in": ids}} for name, ids in (("external_id", node_ids), ("doc_id", doc_ids)) if ids]
        parts = [*ids, *([self.filter_of(filters)] if filters and filters.filters else [])]
        return {"and": parts} if parts else None

    def filter_of(self, one: MetadataFilter | MetadataFilters) -> Json:
        """A filter of LlamaIndex as the service's."""
        if isinstance(one, MetadataFilters):
            each = [self.filter_of(part) for part in one.filters]
            name = (one.condition or FilterCondition.AND).value
            return {"not": {"or": each}} if name == "not" else {name: each}
        path, document = one.key.replace("\\", "\\\\").replace(".", "\\."), one.key in _of_document

        def on(condition: Json) -> Json:
            return {"doc_id": condition} if document else {"metadata": {path: condition}}

        operator, value = one.operator, one.value
        if operator is FilterOperator.TEXT_MATCH_INSENSITIVE:
            # The service compares exactly, so the values that match are looked up.
            facet = self._store.count(field="docId" if document else f"metadata.{path}")[1]
            if facet["other"]:
                raise ValueError(f"{operator.value} is not for {one.key}, which has more than 100 values")
            found = [one["value"] for one in facet["values"] if str(value).lower() in str(one["value"]).lower()]
            operator, value = FilterOperator.IN, found
        if value == []:
            return never(on) if operator.value in ("in", "any") else {"not": never(on)}
        return on({"exists": False} if operator is FilterOperator.IS_EMPTY else {_operators[operator.value]: value})


def _node(unit: Found) -> BaseNode:
    own = {name: value for name, value in unit.metadata.items() if not name.startswith("_node_")}
    if "_node_content" not in unit.metadata:
        return TextNode(id_=id_of(unit), text=unit.text or "", metadata=own)
    node = metadata_dict_to_node(unit.metadata, unit.text)
    node.metadata = own
    return node


class CitationRetriever(BaseRetriever):
    """
    Finds nodes, and what an answer to the query quotes from each: `citations` in the metadata, as `verify_citation`
    takes them. `fields` are those of `Client.answer`.
    """

    def __init__(self, client: Client, **fields: Any) -> None:
        super().__init__()
        self._client, self._fields = client, fields

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._client.answer(query_bundle.query_str, **self._fields)
        nodes = [NodeWithScore(node=_node(hit), score=hit.score) for hit in found.hits]
        for hit, one in zip(found.hits, nodes, strict=True):
            cited = found.answer.citations if found.answer else []
            one.metadata["citations"] = [quoted.model_dump() for quoted in cited if quoted.unit_id == hit.unit_id]
            one.node.excluded_llm_metadata_keys.append("citations")
        return nodes

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)
