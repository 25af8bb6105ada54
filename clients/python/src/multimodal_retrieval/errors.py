"""Errors of the service, by their status. Every one is an `SvcError`."""

from __future__ import annotations

from typing import Any


class SvcError(Exception):
    """`code` is the service's machine code, or `connection_error` without a response; `status` is then 0."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        request_id: str | None = None,
        retry_after: float | None = None,
        required_tier: str | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.request_id = request_id
        self.retry_after = retry_after
        self.required_tier = required_tier


class BadRequest(SvcError):
    """The request is wrong; `detail` begins with the field."""


class Unauthorized(SvcError):
    """The credential is missing or wrong."""


class UpgradeRequired(SvcError):
    """`required_tier` allows the request."""


class QuotaExceeded(SvcError):
    """`required_tier` has more room."""


class Forbidden(SvcError):
    """A permission is missing."""


class NotFound(SvcError):
    """Unknown, or hidden from the caller."""


class RateLimited(SvcError):
    """`retry_after` says when to try again, in seconds."""


class Unavailable(SvcError):
    """A part of the service is down."""


class InternalError(SvcError):
    """The service failed."""


class NotModified(SvcError):
    """What `if_none_match` names is still current."""


class ConnectionError(SvcError):  # noqa: A001 - the name of the other clients
    """No response: the service is unreachable, or took longer than the timeout."""


_classes: dict[int, type[SvcError]] = {
    304: NotModified,
    400: BadRequest,
    401: Unauthorized,
    402: UpgradeRequired,
    403: Forbidden,
    404: NotFound,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}

_status_of = {
    "bad_request": 400,
    "unauthorized": 401,
    "upgrade_required": 402,
    "quota_exceeded": 402,
    "forbidden": 403,
    "not_found": 404,
    "rate_limited": 429,
}


def error_of(
    status: int, body: dict[str, Any], request_id: str | None = None, retry_after: float | None = None
) -> SvcError:
    code = str(body.get("error") or ("not_modified" if status == 304 else f"http_{status}"))
    kind = _classes.get(status, InternalError if status >= 500 else BadRequest if status >= 400 else SvcError)
    if code == "quota_exceeded":
        kind = QuotaExceeded
    return kind(status, code, str(body.get("detail", "")), request_id, retry_after, body.get("required_tier"))


def graphql_error(error: dict[str, Any], request_id: str | None) -> SvcError:
    extensions = error.get("extensions") or {}
    code = str(extensions.get("code", "internal_error"))
    body = {"error": code, "detail": error.get("message"), "required_tier": extensions.get("required_tier")}
    return error_of(int(extensions.get("status") or _status_of.get(code, 500)), body, request_id)
