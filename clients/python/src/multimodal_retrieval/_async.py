"""The client. `_sync.py` is made of this file by tooling/unasync.py."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import random
import re
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel

from .errors import ConnectionError, SvcError, error_of, graphql_error
from .models import (
    DeleteResult,
    Document,
    Hit,
    IngestResult,
    SearchResponse,
    Sentence,
    Source,
    Unit,
    UnitPage,
)

Json = dict[str, Any]
Model = TypeVar("Model", bound=BaseModel)

_retried = {408, 425, 429, 502, 503, 504}
_longest_wait = 60.0
_unit = (
    "unitId externalId scope plane modality text title language docId sourceUri mime metadata createdAt updatedAt"
    " version aclGroups aclOwner locator { ... on BoundingBox { kind x y w h page } ... on CharSpan { kind start end }"
    " ... on LineRange { kind start end } ... on TimeRange { kind tStartMs tEndMs } }"
)
_document = "documentId docId scope name mime bytes status reason detail units metadata"


def wire_vector(value: Any) -> str:
    """An array of numbers as base64 of little-endian float32."""
    if hasattr(value, "astype"):
        return base64.b64encode(value.astype("<f4").tobytes()).decode()
    import struct

    return base64.b64encode(struct.pack(f"<{len(value)}f", *value)).decode()


def _wire_unit(unit: Mapping[str, Any]) -> Json:
    vector = unit.get("vector")
    return {**unit, **({"vector": wire_vector(vector)} if vector is not None and not isinstance(vector, str) else {})}


def _wire_query(q: str, fields: Mapping[str, Any]) -> Json:
    sent: Json = {"q": q, **{name: value for name, value in fields.items() if value is not None}}
    if "vector" in sent:
        vectors = sent["vector"].items()
        sent["vector"] = {plane: one if isinstance(one, str) else wire_vector(one) for plane, one in vectors}
    return sent


def _wire_filter(filter: Mapping[str, Any] | None) -> Json | None:
    """A filter of REST as GraphQL takes it."""
    if not isinstance(filter, Mapping):
        return filter
    sent: Json = {}
    for name, value in filter.items():
        if name in ("and", "or") and isinstance(value, (list, tuple)):
            value = [_wire_filter(one) for one in value]
        elif name in ("not", "time_range"):
            value = _wire_filter(value)
        sent[re.sub("_(.)", lambda found: found[1].upper(), name)] = value
    return sent


def _snake(value: Json) -> Json:
    return {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): one for name, one in value.items()}


def _unit_of(unit: Json) -> Json:
    locator = unit.pop("locator")
    if locator is not None:
        locator = {name: value for name, value in _snake(locator).items() if value is not None}
    return {**_snake(unit), "locator": locator}


class AsyncClient:
    """A client of one service. `scope` and `namespace` are those of each request that does not name others."""

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        namespace: str | None = None,
        scope: str | None = None,
        max_retries: int = 2,
        timeout: float = 30.0,
        brand: str = "svc",
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._token = token
        self._namespace = namespace
        self._scope = scope
        self._retries = max_retries
        self._timeout = timeout
        self._prefix = f"X-{brand[:1].upper()}{brand[1:]}-"
        self._http = http or httpx.AsyncClient()
        self.units = AsyncUnits(self)
        self.documents = AsyncDocuments(self)
        self.sources = AsyncSources(self)
        self.scopes = AsyncRegistry(self, "scopes")
        self.namespaces = AsyncRegistry(self, "namespaces")
        self.grants = AsyncRegistry(self, "grants")
        self.principals = AsyncRegistry(self, "principals")
        self.groups = AsyncGroups(self)
        self.keys = AsyncKeys(self)
        self.audit = AsyncAudit(self)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def health(self) -> Json:
        return await self.request("GET", "/v1/health")

    async def context(self, **options: Any) -> Json:
        return await self.request("GET", "/v1/context", **options)

    async def stats(self, **options: Any) -> Json:
        return await self.request("GET", "/v1/catalog/stats", **options)

    async def search(self, q: str = "", *, options: Mapping[str, Any] | None = None, **fields: Any) -> SearchResponse:
        """Hits, best first. Fields are those of `POST /v1/search`: `top_k`, `filters`, `vector`, …"""
        body = _wire_query(q, fields)
        return SearchResponse.model_validate(await self.request("POST", "/v1/search", body, **(options or {})))

    async def answer(self, q: str, *, options: Mapping[str, Any] | None = None, **fields: Any) -> SearchResponse:
        """A cited answer. Raises `UpgradeRequired` on a tier without answers."""
        body = _wire_query(q, fields)
        return SearchResponse.model_validate(await self.request("POST", "/v1/answer", body, **(options or {})))

    async def answer_stream(
        self, q: str, *, options: Mapping[str, Any] | None = None, **fields: Any
    ) -> AsyncIterator[list[Hit] | Sentence | SearchResponse]:
        """The hits, each sentence, then the whole."""
        request = self._request("POST", "/v1/answer", _wire_query(q, fields), **(options or {}))
        request.headers["Accept"] = "text/event-stream"
        event = ""
        async for line in self.lines(request):
            if line.startswith("event: "):
                event = line[7:]
            elif line.startswith("data: "):
                data = json.loads(line[6:])
                if event == "error":
                    raise error_of(int(data["status"]), data)
                if event == "hits":
                    yield SearchResponse.model_validate(data).hits
                elif event == "sentence":
                    yield Sentence.model_validate(data)
                elif event == "done":
                    yield SearchResponse.model_validate(data)

    async def lines(self, request: httpx.Request | str) -> AsyncIterator[str]:
        """The lines of an answer as they come. A text is a one-time link, which carries its own permission."""
        if isinstance(request, str):
            request = self._http.build_request("GET", self._address(request), timeout=self._timeout)
        rest = b""
        try:
            response = await self._http.send(request, stream=True)
            try:
                if response.status_code != 200:
                    await response.aread()
                    raise _failure(response)
                async for part in response.aiter_bytes():
                    # JSON may have other ends of lines within its texts.
                    *whole, rest = (rest + part).split(b"\n")
                    for line in whole:
                        yield line.decode()
            finally:
                await response.aclose()
        except httpx.TransportError as error:
            raise ConnectionError(0, "connection_error", str(error) or type(error).__name__) from error
        if rest:
            yield rest.decode()

    def _address(self, link: str) -> str:
        return link if "://" in link else f"{self._base}{link}"

    async def graphql(self, document: str, variables: Mapping[str, Any] | None = None, **options: Any) -> Json:
        """The data of an operation. Raises its first error."""
        body = {"query": document, "variables": dict(variables or {})}
        response = await self.send("POST", "/graphql", body, **options)
        answer = response.json()
        errors = answer.get("errors") or []
        if errors:
            raise graphql_error(errors[0], response.headers.get("X-Request-Id"))
        data: Json = answer["data"]
        return data

    async def request(self, method: str, path: str, body: Any = None, **options: Any) -> Json:
        """The JSON of a route. Options are those of `send`."""
        answer: Json = (await self.send(method, path, body, **options)).json()
        return answer

    async def send(self, method: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        """
        Sends a request, and again after a failure that may pass. Options: `params`, `namespace`, `scope`, `after_seq`,
        `idempotency_key`, `if_none_match`, `timeout`.
        """
        request = self._request(method, path, body, **options)
        for attempt in range(self._retries + 1):
            try:
                response = await self._http.send(request)
                if response.is_success:
                    return response
                failure = _failure(response)
            except httpx.TransportError as error:
                failure = ConnectionError(0, "connection_error", str(error) or type(error).__name__)
            may_pass = failure.status == 0 or failure.status in _retried
            if attempt == self._retries or not may_pass:
                raise failure
            await asyncio.sleep(_wait(failure, attempt))
        raise AssertionError("unreachable")

    def _request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Mapping[str, Any] | None = None,
        namespace: str | None = None,
        scope: str | None = None,
        after_seq: int | None = None,
        idempotency_key: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> httpx.Request:
        is_write = method != "GET"
        sent = {
            "Authorization": None if self._token is None else f"Bearer {self._token}",
            f"{self._prefix}Namespace": namespace or self._namespace,
            f"{self._prefix}Scope": scope or self._scope,
            f"{self._prefix}After-Seq": None if after_seq is None else str(after_seq),
            "If-None-Match": if_none_match,
            "Idempotency-Key": (idempotency_key or str(uuid.uuid4())) if is_write else None,
        }
        return self._http.build_request(
            method,
            f"{self._base}{path}",
            params={name: value for name, value in (params or {}).items() if value is not None},
            json=body,
            headers={name: value for name, value in sent.items() if value is not None},
            timeout=timeout or self._timeout,
        )

    async def put(self, url: str, content: bytes) -> Json:
        """Sends bytes to a one-time link, which carries its own permission."""
        try:
            response = await self._http.put(self._address(url), content=content, timeout=self._timeout)
        except httpx.TransportError as error:
            raise ConnectionError(0, "connection_error", str(error)) from error
        if not response.is_success:
            raise _failure(response)
        answer: Json = response.json()
        return answer


def _failure(response: httpx.Response) -> SvcError:
    try:
        body = response.json()
    except ValueError:
        body = {}
    after = response.headers.get("Retry-After", "")
    seconds = float(after) if after.isdigit() else None
    return error_of(
        response.status_code, body if isinstance(body, dict) else {}, response.headers.get("X-Request-Id"), seconds
    )


def _wait(failure: SvcError, attempt: int) -> float:
    if failure.retry_after is not None:
        return min(failure.retry_after, _longest_wait)
    return 0.25 * 2.0**attempt * (0.5 + random.random() / 2)


class AsyncUnits:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def ingest(self, units: Sequence[Mapping[str, Any]], **options: Any) -> IngestResult:
        """Writes a batch, all or nothing. A `vector` may be a numpy array."""
        body = {"units": [_wire_unit(unit) for unit in units]}
        return IngestResult.model_validate(await self._client.request("POST", "/v1/ingest", body, **options))

    async def get(self, unit_id: str, **options: Any) -> Unit:
        return Unit.model_validate(await self._client.request("GET", f"/v1/units/{quote(unit_id, safe='')}", **options))

    async def page(
        self, *, limit: int = 100, cursor: int = 0, filters: Mapping[str, Any] | None = None, **options: Any
    ) -> UnitPage:
        """Units in the order in which they were written. `filters` are those of a search."""
        document = (
            "query ($limit: Int, $cursor: SafeInt, $filters: SearchFiltersInput) { units(limit: $limit,"
            f" cursor: $cursor, filters: $filters) {{ hiddenByAcl nextCursor units {{ {_unit} }} }} }}"
        )
        asked = {"limit": limit, "cursor": cursor, "filters": _wire_filter(filters)}
        found = _snake((await self._client.graphql(document, asked, **options))["units"])
        return UnitPage.model_validate({**found, "units": [_unit_of(unit) for unit in found["units"]]})

    async def list(
        self, *, limit: int = 100, filters: Mapping[str, Any] | None = None, **options: Any
    ) -> AsyncIterator[Unit]:
        """All Units, page by page. `limit` is the size of a page."""
        cursor: int | None = 0
        while cursor is not None:
            page = await self.page(limit=limit, cursor=cursor, filters=filters, **options)
            for unit in page.units:
                yield unit
            cursor = page.next_cursor

    async def delete(
        self,
        *,
        ids: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
        hard: bool = False,
        **options: Any,
    ) -> DeleteResult:
        selection: Json = {"ids": [*ids]} if ids is not None else {"filter": filter}
        body = {**selection, "hard": hard}
        return DeleteResult.model_validate(await self._client.request("POST", "/v1/units:delete", body, **options))

    async def update_readers(
        self,
        *,
        ids: Sequence[str] | None = None,
        doc_id: str | None = None,
        filter: Mapping[str, Any] | None = None,
        acl_groups: Sequence[str] | None = None,
        acl_owner: str | None = None,
        **options: Any,
    ) -> Json:
        """Changes who reads the Units of `ids`, `doc_id` or `filter`: all of them, or none. `matched` and `seq`."""
        document = "mutation ($input: UpdateReadersInput!) { updateReaders(input: $input) { matched seq indexed } }"
        sent = {
            "ids": None if ids is None else [*ids],
            "docId": doc_id,
            "filter": _wire_filter(filter),
            "aclGroups": None if acl_groups is None else [*acl_groups],
            "aclOwner": acl_owner,
        }
        input = {name: value for name, value in sent.items() if value is not None}
        answer: Json = (await self._client.graphql(document, {"input": input}, **options))["updateReaders"]
        return answer


class AsyncSources:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def upload(self, data: bytes, *, name: str | None = None, mime: str | None = None, **options: Any) -> Source:
        """Stores a file. The service checks its size and SHA-256."""
        sent = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "name": name, "mime": mime}
        document = "mutation ($input: CreateUploadInput!) { createUpload(input: $input) { url } }"
        link = {key: value for key, value in sent.items() if value is not None}
        made = await self._client.graphql(document, {"input": link}, **options)
        return Source.model_validate(await self._client.put(made["createUpload"]["url"], data))


class AsyncDocuments:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def upload(
        self,
        file: str | Path | bytes | IO[bytes],
        *,
        name: str | None = None,
        scope: str | None = None,
        doc_id: str | None = None,
        acl_groups: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Document:
        """Takes in a file by its path, its bytes or an open file. Its Units are made in the background: see `wait`."""
        if isinstance(file, (str, Path)):
            data, named = Path(file).read_bytes(), Path(file).name
        elif isinstance(file, bytes):
            data, named = file, ""
        else:
            data, named = file.read(), Path(str(getattr(file, "name", ""))).name
        name = name or named
        if not name:
            raise ValueError("name is required for bytes")
        source = await self._client.sources.upload(data, name=Path(name).name)
        sent = {
            "sourceUri": source.source_uri,
            "name": name,
            "scope": scope,
            "docId": doc_id,
            "aclGroups": [*acl_groups],
            "metadata": metadata,
        }
        document = f"mutation ($input: IngestDocumentInput!) {{ ingestDocument(input: $input) {{ {_document} }} }}"
        input = {key: value for key, value in sent.items() if value is not None}
        return Document.model_validate(
            _snake((await self._client.graphql(document, {"input": input}))["ingestDocument"])
        )

    async def get(self, document_id: str, **options: Any) -> Document:
        document = f"query ($id: String!) {{ document(documentId: $id) {{ {_document} }} }}"
        data = await self._client.graphql(document, {"id": document_id}, **options)
        return Document.model_validate(_snake(data["document"]))

    async def wait(self, document_id: str, *, timeout: float = 300.0, **options: Any) -> Document:
        """The document once it is ready or has failed. Raises `TimeoutError`."""
        waited = 0.0
        while True:
            document = await self.get(document_id, **options)
            if document.status in ("ready", "failed"):
                return document
            if waited >= timeout:
                raise TimeoutError(f"document {document_id} is still {document.status}")
            pause = min(2.0, 0.1 + waited / 4)
            await asyncio.sleep(pause)
            waited += pause

    async def delete(self, document_ids: Sequence[str], *, hard: bool = False, **options: Any) -> int:
        """How many Units were removed."""
        document = (
            "mutation ($ids: [String!]!, $hard: Boolean)"
            " { deleteDocuments(documentIds: $ids, hard: $hard) { matched } }"
        )
        data = await self._client.graphql(document, {"ids": [*document_ids], "hard": hard}, **options)
        return int(data["deleteDocuments"]["matched"])


class AsyncRegistry:
    """Scopes, namespaces, grants or principals, as REST has them."""

    def __init__(self, client: AsyncClient, name: str) -> None:
        self._client = client
        self._name = name

    def _path(self, id: str) -> str:
        return f"/v1/{self._name}/{quote(id, safe='')}"

    async def list(self, **options: Any) -> list[Json]:
        found: list[Json] = (await self._client.request("GET", f"/v1/{self._name}", **options))[self._name]
        return found

    async def create(self, body: Mapping[str, Any], **options: Any) -> Json:
        return await self._client.request("POST", f"/v1/{self._name}", dict(body), **options)

    async def get(self, id: str, **options: Any) -> Json:
        return await self._client.request("GET", self._path(id), **options)

    async def delete(self, id: str, **options: Any) -> Json:
        return await self._client.request("DELETE", self._path(id), **options)


class AsyncGroups:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def list(self, *, prefix: str = "", **options: Any) -> AsyncIterator[Json]:
        """All groups, by name."""
        document = (
            "query ($cursor: SafeInt, $prefix: String) { groups(cursor: $cursor, prefix: $prefix)"
            " { nextCursor groups { name displayName members units source } } }"
        )
        cursor: int | None = 0
        while cursor is not None:
            page = (await self._client.graphql(document, {"cursor": cursor, "prefix": prefix}, **options))["groups"]
            for group in page["groups"]:
                yield _snake(group)
            cursor = page["nextCursor"]

    async def members(self, name: str, **options: Any) -> AsyncIterator[Json]:
        """Who is in a group, also through other groups and by grants."""
        document = (
            "query ($cursor: SafeInt, $name: String!) { groupMembers(cursor: $cursor, name: $name)"
            " { nextCursor members { principalId name kind direct } } }"
        )
        cursor: int | None = 0
        while cursor is not None:
            page = (await self._client.graphql(document, {"cursor": cursor, "name": name}, **options))["groupMembers"]
            for member in page["members"]:
                yield _snake(member)
            cursor = page["nextCursor"]

    async def change(
        self,
        name: str,
        *,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        add_groups: Sequence[str] = (),
        remove_groups: Sequence[str] = (),
        display_name: str | None = None,
        **options: Any,
    ) -> Json:
        """Changes who is in a group. It exists as soon as something names it."""
        document = (
            "mutation ($name: String!, $input: ChangeGroupInput!) { changeGroup(name: $name, input: $input)"
            " { name displayName members units source } }"
        )
        sent = {
            "add": [*add],
            "remove": [*remove],
            "addGroups": [*add_groups],
            "removeGroups": [*remove_groups],
            "displayName": display_name,
        }
        input = {key: value for key, value in sent.items() if value is not None and value != []}
        return _snake((await self._client.graphql(document, {"name": name, "input": input}, **options))["changeGroup"])


class AsyncKeys:
    """API keys of the calling principal."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def list(self, **options: Any) -> list[Json]:
        document = "{ apiKeys { keys { id name perms scopePrefix createdAt expiresAt lastUsedAt } } }"
        return [_snake(one) for one in (await self._client.graphql(document, **options))["apiKeys"]["keys"]]

    async def create(self, name: str, *, perms: Sequence[str] | None = None, scope_prefix: str | None = None) -> Json:
        """The key, with its `token`, which nobody shows again."""
        document = "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token key { id name } } }"
        sent = {"name": name, "perms": None if perms is None else [*perms], "scopePrefix": scope_prefix}
        input = {key: value for key, value in sent.items() if value is not None}
        made: Json = (await self._client.graphql(document, {"input": input}))["createApiKey"]
        return made

    async def revoke(self, id: str) -> None:
        await self._client.graphql("mutation ($id: String!) { revokeApiKey(id: $id) { revoked } }", {"id": id})


class AsyncAudit:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def page(self, *, limit: int = 100, cursor: int = 0, **options: Any) -> Json:
        return await self._client.request("GET", "/v1/audit", params={"limit": limit, "cursor": cursor}, **options)

    async def list(self, **options: Any) -> AsyncIterator[Json]:
        """All rows that the caller may see, newest first."""
        cursor: int | None = 0
        while cursor is not None:
            page = await self.page(cursor=cursor, **options)
            for row in page["rows"]:
                yield row
            cursor = page["next_cursor"]

    async def verify(self, **options: Any) -> Json:
        return await self._client.request("GET", "/v1/audit/verify", **options)

    async def checkpoint(self, *, size: int | None = None, **options: Any) -> Json:
        return await self._client.request("GET", "/v1/audit/checkpoint", params={"size": size}, **options)

    async def proof(
        self, *, seq: int | None = None, start: int | None = None, size: int | None = None, **options: Any
    ) -> Json:
        """Of a row (`seq`), or that the log of `start` rows is the beginning of a longer one."""
        params = {"seq": seq, "from": start, "size": size}
        return await self._client.request("GET", "/v1/audit/proof", params=params, **options)

    async def export(self, *, format: str = "ndjson", **options: Any) -> AsyncIterator[str]:
        """The whole log, oldest first, a row for each item: `verify_export` takes them. `format` may be `ocsf`."""
        document = "mutation ($format: AuditExportFormat) { exportAudit(format: $format) { url } }"
        made = await self._client.graphql(document, {"format": format}, **options)
        async for line in self._client.lines(made["exportAudit"]["url"]):
            yield line
