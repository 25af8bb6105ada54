"""Made of `_async.py` by tooling/unasync.py."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Generic, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel

from ._documents import documents
from .errors import ConnectionError, SvcError, error_of, graphql_error
from .models import (
    AnswerSentence,
    ApiKey,
    CatalogStatsResponse,
    Context,
    CreatePrincipalResponse,
    DeleteGrantResponse,
    DeleteNamespaceResponse,
    DeletePrincipalResponse,
    DeleteResult,
    DeleteScopeResponse,
    Document,
    FacetsResponse,
    Grant,
    Group,
    GroupMember,
    HealthResponse,
    Hit,
    IngestResult,
    Namespace,
    NewApiKey,
    Principal,
    Scope,
    SearchResponse,
    Source,
    Unit,
    UnitsResponse,
    UpdateReadersResult,
)

Json = dict[str, Any]
Item = TypeVar("Item", bound=BaseModel)
Created = TypeVar("Created", bound=BaseModel)
Deleted = TypeVar("Deleted", bound=BaseModel)

_retried = {408, 425, 429, 502, 503, 504}
_longest_wait = 60.0


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


def camel(value: Any) -> Any:
    """Names of REST as GraphQL has them. The caller chooses the keys of metadata."""
    if isinstance(value, Mapping):
        return {
            re.sub("_(.)", lambda found: found[1].upper(), name): one if name == "metadata" else camel(one)
            for name, one in value.items()
        }
    return [camel(one) for one in value] if isinstance(value, (list, tuple)) else value


def _sent(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


class Client:
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
        http: httpx.Client | None = None,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._token = token
        self._namespace = namespace
        self._scope = scope
        self._retries = max_retries
        self._timeout = timeout
        self._prefix = f"X-{brand[:1].upper()}{brand[1:]}-"
        self._http = http or httpx.Client()
        self.units = Units(self)
        self.documents = Documents(self)
        self.sources = Sources(self)
        self.scopes = Registry(self, "scopes", Scope, Scope, DeleteScopeResponse)
        self.namespaces = Registry(self, "namespaces", Namespace, Namespace, DeleteNamespaceResponse)
        self.grants = Registry(self, "grants", Grant, Grant, DeleteGrantResponse)
        self.principals = Registry(self, "principals", Principal, CreatePrincipalResponse, DeletePrincipalResponse)
        self.groups = Groups(self)
        self.keys = Keys(self)
        self.audit = Audit(self)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def health(self) -> HealthResponse:
        return HealthResponse.model_validate(self.request("GET", "/v1/health"))

    def context(self, **options: Any) -> Context:
        return Context.model_validate(self.request("GET", "/v1/context", **options))

    def stats(self, **options: Any) -> CatalogStatsResponse:
        return CatalogStatsResponse.model_validate(self.request("GET", "/v1/catalog/stats", **options))

    def search(self, q: str = "", *, options: Mapping[str, Any] | None = None, **fields: Any) -> SearchResponse:
        """Hits, best first. Fields are those of `POST /v1/search`: `top_k`, `filters`, `vector`, …"""
        body = _wire_query(q, fields)
        return SearchResponse.model_validate(self.request("POST", "/v1/search", body, **(options or {})))

    def answer(self, q: str, *, options: Mapping[str, Any] | None = None, **fields: Any) -> SearchResponse:
        """A cited answer. Raises `UpgradeRequired` on a tier without answers."""
        body = _wire_query(q, fields)
        return SearchResponse.model_validate(self.request("POST", "/v1/answer", body, **(options or {})))

    def answer_stream(
        self, q: str, *, options: Mapping[str, Any] | None = None, **fields: Any
    ) -> Iterator[list[Hit] | AnswerSentence | SearchResponse]:
        """The hits, each sentence, then the whole."""
        request = self._request("POST", "/v1/answer", _wire_query(q, fields), **(options or {}))
        request.headers["Accept"] = "text/event-stream"
        event = ""
        for line in self.lines(request):
            if line.startswith("event: "):
                event = line[7:]
            elif line.startswith("data: "):
                data = json.loads(line[6:])
                if event == "error":
                    raise error_of(int(data["status"]), data)
                if event == "hits":
                    yield SearchResponse.model_validate(data).hits
                elif event == "sentence":
                    yield AnswerSentence.model_validate(data)
                elif event == "done":
                    yield SearchResponse.model_validate(data)

    def lines(self, request: httpx.Request | str) -> Iterator[str]:
        """The lines of an answer as they come. A text is a one-time link, which carries its own permission."""
        if isinstance(request, str):
            request = self._http.build_request("GET", self._address(request), timeout=self._timeout)
        rest = b""
        try:
            response = self._http.send(request, stream=True)
            try:
                if response.status_code != 200:
                    response.read()
                    raise _failure(response)
                for part in response.iter_bytes():
                    # JSON may have other ends of lines within its texts.
                    *whole, rest = (rest + part).split(b"\n")
                    for line in whole:
                        yield line.decode()
            finally:
                response.close()
        except httpx.TransportError as error:
            raise ConnectionError(0, "connection_error", str(error) or type(error).__name__) from error
        if rest:
            yield rest.decode()

    def _address(self, link: str) -> str:
        return link if "://" in link else f"{self._base}{link}"

    def graphql(self, document: str, variables: Mapping[str, Any] | None = None, **options: Any) -> Json:
        """The data of an operation. Raises its first error."""
        body = {"query": document, "variables": dict(variables or {})}
        response = self.send("POST", "/graphql", body, **options)
        answer = response.json()
        errors = answer.get("errors") or []
        if errors:
            raise graphql_error(errors[0], response.headers.get("X-Request-Id"))
        data: Json = answer["data"]
        return data

    def run(self, operation: str, variables: Mapping[str, Any], **options: Any) -> Any:
        """An operation that REST does not have, with the names of REST."""
        return (self.graphql(documents[operation], camel(variables), **options))["result"]

    def pages(
        self, operation: str, items: str, variables: Mapping[str, Any], **options: Any
    ) -> Iterator[Json]:
        """The items of all pages of a list."""
        cursor: int | None = 0
        while cursor is not None:
            page = self.run(operation, {**variables, "cursor": cursor}, **options)
            for item in page[items]:
                yield item
            cursor = page["next_cursor"]

    def facets(
        self, fields: Sequence[str], *, filters: Mapping[str, Any] | None = None, **options: Any
    ) -> FacetsResponse:
        """Counts Units by the values of fields."""
        input = _sent(fields=[*fields], filters=filters)
        return FacetsResponse.model_validate(self.run("facets", {"input": input}, **options))

    def request(self, method: str, path: str, body: Any = None, **options: Any) -> Json:
        """The JSON of a route. Options are those of `send`."""
        answer: Json = (self.send(method, path, body, **options)).json()
        return answer

    def send(self, method: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        """
        Sends a request, and again after a failure that may pass. Options: `params`, `namespace`, `scope`, `after_seq`,
        `idempotency_key`, `if_none_match`, `timeout`.
        """
        request = self._request(method, path, body, **options)
        for attempt in range(self._retries + 1):
            try:
                response = self._http.send(request)
                if response.is_success:
                    return response
                failure = _failure(response)
            except httpx.TransportError as error:
                failure = ConnectionError(0, "connection_error", str(error) or type(error).__name__)
            may_pass = failure.status == 0 or failure.status in _retried
            if attempt == self._retries or not may_pass:
                raise failure
            time.sleep(_wait(failure, attempt))
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

    def put(self, url: str, content: bytes) -> Json:
        """Sends bytes to a one-time link, which carries its own permission."""
        try:
            response = self._http.put(self._address(url), content=content, timeout=self._timeout)
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


class Units:
    def __init__(self, client: Client) -> None:
        self._client = client

    def ingest(self, units: Sequence[Mapping[str, Any]], **options: Any) -> IngestResult:
        """Writes a batch, all or nothing. A `vector` may be a numpy array."""
        body = {"units": [_wire_unit(unit) for unit in units]}
        return IngestResult.model_validate(self._client.request("POST", "/v1/ingest", body, **options))

    def get(self, unit_id: str, **options: Any) -> Unit:
        return Unit.model_validate(self._client.request("GET", f"/v1/units/{quote(unit_id, safe='')}", **options))

    def page(
        self, *, limit: int = 100, cursor: int = 0, filters: Mapping[str, Any] | None = None, **options: Any
    ) -> UnitsResponse:
        """Units in the order in which they were written. `filters` are those of a search."""
        variables = {"limit": limit, "cursor": cursor, "filters": filters}
        return UnitsResponse.model_validate(self._client.run("units", variables, **options))

    def list(
        self, *, limit: int = 100, filters: Mapping[str, Any] | None = None, **options: Any
    ) -> Iterator[Unit]:
        """All Units, page by page. `limit` is the size of a page."""
        cursor: int | None = 0
        while cursor is not None:
            page = self.page(limit=limit, cursor=cursor, filters=filters, **options)
            for unit in page.units:
                yield unit
            cursor = page.next_cursor

    def delete(
        self,
        *,
        ids: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
        hard: bool = False,
        **options: Any,
    ) -> DeleteResult:
        selection: Json = {"ids": [*ids]} if ids is not None else {"filter": filter}
        body = {**selection, "hard": hard}
        return DeleteResult.model_validate(self._client.request("POST", "/v1/units:delete", body, **options))

    def update_readers(
        self,
        *,
        ids: Sequence[str] | None = None,
        doc_id: str | None = None,
        filter: Mapping[str, Any] | None = None,
        acl_groups: Sequence[str] | None = None,
        acl_owner: str | None = None,
        **options: Any,
    ) -> UpdateReadersResult:
        """Changes who reads the Units of `ids`, `doc_id` or `filter`: all of them, or none."""
        input = _sent(ids=ids, doc_id=doc_id, filter=filter, acl_groups=acl_groups, acl_owner=acl_owner)
        return UpdateReadersResult.model_validate(self._client.run("updateReaders", {"input": input}, **options))


class Sources:
    def __init__(self, client: Client) -> None:
        self._client = client

    def upload(self, data: bytes, *, name: str | None = None, mime: str | None = None, **options: Any) -> Source:
        """Stores a file. The service checks its size and SHA-256."""
        uri = self.put(data, name=name, mime=mime, **options)
        return Source.model_validate(self._client.run("source", {"source_uri": uri}, **options))

    def put(self, data: bytes, *, name: str | None, mime: str | None = None, **options: Any) -> str:
        """Stores a file. Only its `source_uri`."""
        input = _sent(bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), name=name, mime=mime)
        made = self._client.run("createUpload", {"input": input}, **options)
        return str((self._client.put(made["url"], data))["source_uri"])


class Documents:
    def __init__(self, client: Client) -> None:
        self._client = client

    def upload(
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
        source_uri = self._client.sources.put(data, name=Path(name).name)
        own = _sent(scope=scope, doc_id=doc_id, acl_groups=[*acl_groups], metadata=metadata)
        input = {"source_uri": source_uri, "name": name, **own}
        return Document.model_validate(self._client.run("ingestDocument", {"input": input}))

    def get(self, document_id: str, **options: Any) -> Document:
        return Document.model_validate(self._client.run("document", {"document_id": document_id}, **options))

    def list(
        self,
        *,
        scope: str | None = None,
        status: str | None = None,
        doc_id_prefix: str | None = None,
        **options: Any,
    ) -> Iterator[Document]:
        """All documents, by their `doc_id`."""
        asked = _sent(scope=scope, status=status, doc_id_prefix=doc_id_prefix)
        for one in self._client.pages("documents", "documents", asked, **options):
            yield Document.model_validate(one)

    def retry(self, document_ids: Sequence[str], **options: Any) -> None:
        """Tries failed documents again."""
        self._client.run("retryDocuments", {"document_ids": [*document_ids]}, **options)

    def wait(self, document_id: str, *, timeout: float = 300.0, **options: Any) -> Document:
        """The document once it is ready or has failed. Raises `TimeoutError`."""
        waited = 0.0
        while True:
            document = self.get(document_id, **options)
            if document.status in ("ready", "failed"):
                return document
            if waited >= timeout:
                raise TimeoutError(f"document {document_id} is still {document.status}")
            pause = min(2.0, 0.1 + waited / 4)
            time.sleep(pause)
            waited += pause

    def delete(self, document_ids: Sequence[str], *, hard: bool = False, **options: Any) -> int:
        """How many Units were removed."""
        variables = {"document_ids": [*document_ids], "hard": hard}
        return int((self._client.run("deleteDocuments", variables, **options))["matched"])


class Registry(Generic[Item, Created, Deleted]):
    """Scopes, namespaces, grants or principals, as REST has them."""

    def __init__(
        self, client: Client, name: str, item: type[Item], created: type[Created], deleted: type[Deleted]
    ) -> None:
        self._client, self._name = client, name
        self._item, self._created, self._deleted = item, created, deleted

    def _path(self, id: str) -> str:
        return f"/v1/{self._name}/{quote(id, safe='')}"

    def list(self, **options: Any) -> list[Item]:
        found = (self._client.request("GET", f"/v1/{self._name}", **options))[self._name]
        return [self._item.model_validate(one) for one in found]

    def create(self, body: Mapping[str, Any], **options: Any) -> Created:
        made = self._client.request("POST", f"/v1/{self._name}", dict(body), **options)
        return self._created.model_validate(made)

    def get(self, id: str, **options: Any) -> Item:
        return self._item.model_validate(self._client.request("GET", self._path(id), **options))

    def delete(self, id: str, **options: Any) -> Deleted:
        return self._deleted.model_validate(self._client.request("DELETE", self._path(id), **options))


class Groups:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, *, prefix: str = "", **options: Any) -> Iterator[Group]:
        """All groups, by name."""
        for one in self._client.pages("groups", "groups", {"prefix": prefix}, **options):
            yield Group.model_validate(one)

    def members(self, name: str, **options: Any) -> Iterator[GroupMember]:
        """Who is in a group, also through other groups and by grants."""
        for one in self._client.pages("groupMembers", "members", {"name": name}, **options):
            yield GroupMember.model_validate(one)

    def change(
        self,
        name: str,
        *,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        add_groups: Sequence[str] = (),
        remove_groups: Sequence[str] = (),
        display_name: str | None = None,
        **options: Any,
    ) -> Group:
        """Changes who is in a group. It exists as soon as something names it."""
        lists = {"add": add, "remove": remove, "add_groups": add_groups, "remove_groups": remove_groups}
        named = {key: [*value] for key, value in lists.items() if value}
        input = {**named, **_sent(display_name=display_name)}
        return Group.model_validate(self._client.run("changeGroup", {"name": name, "input": input}, **options))

    def rename(self, name: str, new_name: str, **options: Any) -> Group:
        return Group.model_validate(
            self._client.run("renameGroup", {"name": name, "new_name": new_name}, **options)
        )


class Keys:
    """API keys of the calling principal."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, **options: Any) -> Iterator[ApiKey]:
        for one in self._client.pages("apiKeys", "keys", {}, **options):
            yield ApiKey.model_validate(one)

    def create(
        self, name: str, *, perms: Sequence[str] | None = None, scope_prefix: str | None = None
    ) -> NewApiKey:
        """The key, with its `token`, which nobody shows again."""
        input = _sent(name=name, perms=perms, scope_prefix=scope_prefix)
        return NewApiKey.model_validate(self._client.run("createApiKey", {"input": input}))

    def revoke(self, id: str) -> None:
        self._client.run("revokeApiKey", {"id": id})


class Audit:
    """Rows, proofs and checkpoints stay as they came: what is hashed and signed is their JSON."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def page(self, *, limit: int = 100, cursor: int = 0, **options: Any) -> Json:
        return self._client.request("GET", "/v1/audit", params={"limit": limit, "cursor": cursor}, **options)

    def list(self, **options: Any) -> Iterator[Json]:
        """All rows that the caller may see, newest first."""
        cursor: int | None = 0
        while cursor is not None:
            page = self.page(cursor=cursor, **options)
            for row in page["rows"]:
                yield row
            cursor = page["next_cursor"]

    def verify(self, **options: Any) -> Json:
        return self._client.request("GET", "/v1/audit/verify", **options)

    def checkpoint(self, *, size: int | None = None, **options: Any) -> Json:
        return self._client.request("GET", "/v1/audit/checkpoint", params={"size": size}, **options)

    def proof(
        self, *, seq: int | None = None, start: int | None = None, size: int | None = None, **options: Any
    ) -> Json:
        """Of a row (`seq`), or that the log of `start` rows is the beginning of a longer one."""
        params = {"seq": seq, "from": start, "size": size}
        return self._client.request("GET", "/v1/audit/proof", params=params, **options)

    def export(self, *, format: str = "ndjson", **options: Any) -> Iterator[str]:
        """The whole log, oldest first, a row for each item: `verify_export` takes them. `format` may be `ocsf`."""
        made = self._client.run("exportAudit", {"format": format}, **options)
        for line in self._client.lines(made["url"]):
            yield line
