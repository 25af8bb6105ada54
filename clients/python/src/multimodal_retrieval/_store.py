"""What the stores of LangChain, LlamaIndex and Haystack share. Their ids are the Units' external ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from . import Client, Hit, Unit
from ._async import camel

Found = Unit | Hit

_batch = 500
_page = 50


class Store:
    def __init__(self, client: Client) -> None:
        self.client = client
        self._seq = 0

    def write(self, units: Iterable[Mapping[str, Any]]) -> None:
        rest = iter(units)
        while batch := list(islice(rest, _batch)):
            self._seq = max(self._seq, self.client.units.ingest(batch).seq)

    def delete(self, *, ids: Sequence[str] | None = None, filter: Mapping[str, Any] | None = None) -> int:
        if ids is not None and len(ids) == 0:
            return 0
        deleted = self.client.units.delete(ids=ids, filter=filter)
        self._seq = max(self._seq, deleted.seq)
        return deleted.matched

    def search(self, q: str, k: int, **fields: Any) -> list[Hit]:
        """The best `k` hits. They know what this store has written."""
        hits: list[Hit] = []
        while len(hits) < k:
            size = min(_page, k - len(hits))
            options = {"after_seq": self._seq} if self._seq else None
            page = self.client.search(q, top_k=size, offset=len(hits) or None, options=options, **fields).hits
            hits.extend(page)
            if len(page) < size:
                break
        return hits

    def units(self, filters: Mapping[str, Any] | None = None) -> Iterator[Unit]:
        return self.client.units.list(filters=filters, after_seq=self._seq or None)

    def by_ids(self, ids: Sequence[str]) -> list[Unit]:
        """By external ids. Unknown ones are left out."""
        parts = (ids[start : start + _batch] for start in range(0, len(ids), _batch))
        return [unit for part in parts for unit in self.units({"external_id": {"in": [*part]}})]

    def count(self, filters: Mapping[str, Any] | None = None, field: str = "plane") -> tuple[int, dict[str, Any]]:
        """How many Units there are, and the 100 most frequent values of a field: `values`, `other`."""
        document = "query ($input: FacetsInput!) { facets(input: $input) { count facets { values { value } other } } }"
        input = {"fields": [field], "limit": 100, "filters": camel(filters)}
        found = self.client.graphql(document, {"input": input}, after_seq=self._seq or None)["facets"]
        return found["count"], found["facets"][0]


def id_of(unit: Found) -> str:
    return unit.external_id or unit.unit_id


def never(condition: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """A filter that lets nothing through."""
    return {"and": [condition({"exists": True}), condition({"exists": False})]}
