"""Local checks of what the service says: of citations, and of the audit log. They never raise for what is forged."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """`reason` says what is wrong; None if nothing is."""

    ok: bool
    reason: str | None = None


@dataclass(frozen=True)
class ExportVerdict(Verdict):
    """`rows` are valid, the last of them with `head_hash`; `break_at` is the `seq` of the first invalid one."""

    rows: int = 0
    head_hash: str | None = None
    break_at: int | None = None


_good = Verdict(True)


def _bad(reason: str) -> Verdict:
    return Verdict(False, reason)


def _verdict(subject: str, check: Callable[[], Verdict]) -> Verdict:
    try:
        return check()
    except Exception:  # whatever its shape is, it proves nothing
        return _bad(f"{subject} is malformed")


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def verify_citation(citation: Any, unit_or_text: Any) -> Verdict:
    """Is the citation of this Unit, its quote at its place in the text (UTF-16), and the text unchanged (SHA-256)?"""

    def check() -> Verdict:
        text = unit_or_text
        if not isinstance(text, str):
            unit_id = _field(unit_or_text, "unit_id")
            if unit_id is not None and unit_id != _field(citation, "unit_id"):
                return _bad("the citation is of another Unit")
            text = _field(unit_or_text, "text")
        if not isinstance(text, str):
            return _bad("the Unit has no text")
        if hashlib.sha256(text.encode()).hexdigest() != _field(citation, "sha256"):
            return _bad("the text has another SHA-256")
        start, end = _field(citation, "start"), _field(citation, "end")
        units = text.encode("utf-16-le")
        piece = units[2 * start : 2 * end]
        if not 0 <= start <= end <= len(units) // 2 or piece != _field(citation, "quote").encode("utf-16-le"):
            return _bad("the quote is not at its place in the text")
        return _good

    return _verdict("the citation", check)


def verify_inclusion(row: Json, proof: Json, verifier_key: str) -> Verdict:
    """Is the row unchanged, and does the proof lead from it to a root that the key has signed?"""

    def check() -> Verdict:
        body = _body(row)
        if _row_hash(row["prev_hash"], body) != row["hash"]:
            return _bad("the hash of the row does not match its content")
        head = _open(proof["checkpoint"], verifier_key)
        if isinstance(head, str):
            return _bad(head)
        if proof.get("seq") != row["seq"] or proof.get("from") is not None:
            return _bad("the proof is of another row")
        if not _is_of(head, row["namespace"]):
            return _bad("the checkpoint is of another log")
        if _contradicts(proof, head):
            return _bad("the proof says other than its checkpoint")
        leaf = _leaf(body.encode())
        if proof.get("leaf_hash") is not None and _hash(proof["leaf_hash"]) != leaf:
            return _bad("the proof is of another row")
        path = [_hash(one) for one in proof["hashes"]]
        if not _includes(leaf, row["seq"] - 1, head.size, path, head.root):
            return _bad("the proof does not lead from the row to the signed root")
        return _good

    return _verdict("the proof", check)


def verify_consistency(checkpoint: str | Json, proof: Json, verifier_key: str) -> Verdict:
    """Does the log of the proof's checkpoint begin with the log of an earlier, kept checkpoint?"""

    def check() -> Verdict:
        old, head = _open(checkpoint, verifier_key), _open(proof["checkpoint"], verifier_key)
        if isinstance(old, str):
            return _bad(f"earlier checkpoint: {old}")
        if isinstance(head, str):
            return _bad(head)
        if old.origin != head.origin:
            return _bad("the checkpoints are of different logs")
        if proof.get("seq") is not None or proof.get("leaf_hash") is not None:
            return _bad("the proof is of a row")
        if proof.get("from") is not None and proof["from"] != old.size:
            return _bad("the proof is of another earlier checkpoint")
        if _contradicts(proof, head):
            return _bad("the proof says other than its checkpoint")
        path = [_hash(one) for one in proof["hashes"]]
        is_empty = old.size == 0 and old.root == hashlib.sha256(b"").digest()
        if not is_empty and not _extends(old.size, head.size, path, old.root, head.root):
            return _bad("the proof does not lead from the earlier checkpoint to the signed root")
        return _good

    return _verdict("the proof", check)


def verify_export(
    lines: str | Iterable[str], checkpoint: str | Json | None = None, verifier_key: str | None = None
) -> ExportVerdict:
    """Do the rows of an exported log continue each other, unchanged, and are they those that a checkpoint signed?"""
    rows, last = 0, None

    def broken(reason: str, at: int | None = None) -> ExportVerdict:
        return ExportVerdict(False, reason, rows, last, at)

    try:
        head: _Head | None = None
        if checkpoint is not None:
            opened = "a checkpoint needs the verifier key" if verifier_key is None else _open(checkpoint, verifier_key)
            if isinstance(opened, str):
                return broken(opened)
            head = opened
        tree, namespace = _Tree(), None
        root = tree.root() if head and head.size == 0 else None
        items = (lines.removesuffix("\n").split("\n") if lines else []) if isinstance(lines, str) else lines
        for line in items:
            seq = rows + 1
            row = _row(line)
            if row is None:
                return broken(f"row {seq} is not an audit row", seq)
            if row["seq"] != seq:
                return broken(f"row {seq} is missing", seq)
            namespace = namespace or row["namespace"]
            if row["namespace"] != namespace:
                return broken(f"row {seq} is of another log", seq)
            if row["prev_hash"] != (last or "0" * 64):
                return broken(f"row {seq} does not continue row {rows}", seq)
            body = _body(row)
            if _row_hash(row["prev_hash"], body) != row["hash"]:
                return broken(f"row {seq} was changed: its hash does not match", seq)
            rows, last = seq, row["hash"]
            if head:
                tree.add(body.encode())
                root = tree.root() if head.size == seq else root
        if rows == 0:
            return broken("the export has no rows")
        if head and not _is_of(head, str(namespace)):
            return broken("the checkpoint is of another log")
        if head and root is None:
            return broken(f"the checkpoint covers {head.size} rows, the export has {rows}", rows + 1)
        if head and root != head.root:
            return broken("the rows are not those that the checkpoint signed")
        return ExportVerdict(True, None, rows, last, None)
    except Exception:
        return broken("the export cannot be read")


def _row(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line, parse_int=float)
    except ValueError:
        return None
    names = ("namespace", "prev_hash", "hash")
    return row if isinstance(row, dict) and all(isinstance(row.get(name), str) for name in names) else None


def _body(row: Json) -> str:
    return _canonical({name: value for name, value in row.items() if name not in ("hash", "prev_hash")})


def _canonical(value: Any) -> str:
    """RFC 8785: members by UTF-16 units, numbers as ECMAScript writes them."""
    if isinstance(value, Mapping):
        members = sorted(value.items(), key=lambda one: one[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_canonical(name)}:{_canonical(one)}" for name, one in members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(float(value))
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    if value == 0:
        return "0"
    sign, text = ("-", repr(-value)) if value < 0 else ("", repr(value))
    mantissa, _, power = text.partition("e")
    whole, _, part = mantissa.partition(".")
    part = "" if part == "0" else part
    digits = (whole + part).lstrip("0")
    point = int(power or 0) + len(whole) - (len(whole + part) - len(digits))
    digits = digits.rstrip("0")
    if 0 < point <= 21:
        padded = digits.ljust(point, "0")
        return sign + padded[:point] + (f".{padded[point:]}" if len(padded) > point else "")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def _row_hash(before: str, body: str) -> str | None:
    if not re.fullmatch(r"[0-9a-f]{64}", before):
        return None
    return hashlib.sha256(bytes.fromhex(before) + body.encode()).hexdigest()


@dataclass(frozen=True)
class _Head:
    origin: str
    size: int
    root: bytes


def _base64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _hash(text: str) -> bytes:
    found = _base64(text)
    if len(found) != 32:
        raise ValueError("not a hash")
    return found


def _open(checkpoint: str | Json, verifier_key: str) -> _Head | str:
    """Opens a signed note (c2sp.org/signed-note). Returns the reason if the key did not sign it."""
    note = checkpoint if isinstance(checkpoint, str) else checkpoint["note"]
    key = _key(verifier_key)
    if key is None:
        return "the verifier key is malformed"
    text, separator, signatures = note.rpartition("\n\n")
    if not separator:
        return "the checkpoint is not a signed note"
    text += "\n"
    name, key_id, public = key
    signed = []
    for line in signatures.split("\n"):
        match = re.fullmatch(r"\u2014 ([^+\s]+) (\S+)", line)
        if match and match[1] == name:
            try:
                value = _base64(match[2])
            except ValueError:
                continue
            if value[:4].hex() == key_id:
                signed.append(value[4:])
    if not signed:
        return "the checkpoint is not signed by the verifier key"
    if not all(_signed_by(public, one, text.encode()) for one in signed):
        return "the signature of the checkpoint is invalid"
    parts = text.split("\n")
    try:
        origin, size, root = parts[0], parts[1], _hash(parts[2])
    except (IndexError, ValueError):
        return "the note is not a checkpoint"
    if origin == "" or not re.fullmatch(r"0|[1-9][0-9]{0,15}", size):
        return "the note is not a checkpoint"
    head = _Head(origin, int(size), root)
    if not isinstance(checkpoint, str):
        said = {"origin": head.origin, "size": head.size}
        namespace, root_hash = checkpoint.get("namespace"), checkpoint.get("root_hash")
        if (
            any(checkpoint.get(name, value) != value for name, value in said.items())
            or (namespace is not None and not _is_of(head, namespace))
            or (root_hash is not None and _hash(root_hash) != head.root)
        ):
            return "the checkpoint says other than its signed note"
    return head


def _is_of(head: _Head, namespace: str) -> bool:
    return head.origin.endswith(f"/audit/{namespace}")


def _contradicts(proof: Json, head: _Head) -> bool:
    namespace, size = proof.get("namespace"), proof.get("size")
    return (namespace is not None and not _is_of(head, namespace)) or (size is not None and size != head.size)


def _key(text: str) -> tuple[str, str, bytes] | None:
    match = re.fullmatch(r"([^+\s]+)\+([0-9a-f]{8})\+(\S+)", text.strip())
    try:
        value = _base64(match[3]) if match else b""
    except ValueError:
        return None
    if match is None or len(value) != 33 or value[0] != 1:
        return None
    own = hashlib.sha256(f"{match[1]}\n".encode() + value).hexdigest()[:8]
    return (match[1], match[2], value[1:]) if own == match[2] else None


def _leaf(value: bytes) -> bytes:
    return hashlib.sha256(b"\0" + value).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


class _Tree:
    """The root of RFC 6962 over leaves that are added one by one."""

    def __init__(self) -> None:
        self._subtrees: list[tuple[int, bytes]] = []

    def add(self, value: bytes) -> None:
        level, found = 0, _leaf(value)
        while self._subtrees and self._subtrees[-1][0] == level:
            level, found = level + 1, _node(self._subtrees.pop()[1], found)
        self._subtrees.append((level, found))

    def root(self) -> bytes:
        if not self._subtrees:
            return hashlib.sha256(b"").digest()
        root = self._subtrees[-1][1]
        for _, one in reversed(self._subtrees[:-1]):
            root = _node(one, root)
        return root


def _includes(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> bool:
    """RFC 9162, section 2.1.3.2."""
    if not 0 <= index < size:
        return False
    node, last, found = index, size - 1, leaf
    for other in path:
        if last == 0:
            return False
        if node % 2 == 1 or node == last:
            found = _node(other, found)
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            found = _node(found, other)
        node, last = node // 2, last // 2
    return last == 0 and found == root


def _extends(start: int, size: int, path: list[bytes], old_root: bytes, root: bytes) -> bool:
    """RFC 9162, section 2.1.4.2."""
    if not 1 <= start <= size:
        return False
    if start == size:
        return not path and old_root == root
    steps = [old_root, *path] if start & (start - 1) == 0 else path
    if not steps:
        return False
    node, last = start - 1, size - 1
    while node % 2 == 1:
        node, last = node // 2, last // 2
    old, found = steps[0], steps[0]
    for other in steps[1:]:
        if last == 0:
            return False
        if node % 2 == 1 or node == last:
            old, found = _node(other, old), _node(other, found)
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            found = _node(found, other)
        node, last = node // 2, last // 2
    return last == 0 and old == old_root and found == root


_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_Point = tuple[int, int, int, int]


def _add(a: _Point, b: _Point) -> _Point:
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % _P, (a[1] + a[0]) * (b[1] + b[0]) % _P
    g, h = 2 * a[3] * b[3] * _D % _P, 2 * a[2] * b[2] % _P
    p, q, r, s = f - e, h - g, h + g, f + e
    return (p * q % _P, r * s % _P, q * r % _P, p * s % _P)


def _times(scalar: int, point: _Point) -> _Point:
    total: _Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point, scalar = _add(point, point), scalar >> 1
    return total


def _point(value: bytes) -> _Point:
    y = int.from_bytes(value, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    if y >= _P or (x * x - square) % _P or (x == 0 and sign):
        raise ValueError("not a point")
    x = _P - x if x & 1 != sign else x
    return (x, y, 1, x * y % _P)


_base_y = 4 * pow(5, -1, _P) % _P
_BASE = _point(_base_y.to_bytes(32, "little"))


def _signed_by(public: bytes, signature: bytes, message: bytes) -> bool:
    """Ed25519 (RFC 8032, section 5.1.7). Nothing here is secret, so it may take different times."""
    if len(signature) != 64:
        return False
    scalar = int.from_bytes(signature[32:], "little")
    if scalar >= _L:
        return False
    try:
        key, r = _point(public), _point(signature[:32])
    except ValueError:
        return False
    digest = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % _L
    left, right = _times(scalar, _BASE), _add(r, _times(digest, key))
    return (left[0] * right[2] - right[0] * left[2]) % _P == 0 and (left[1] * right[2] - right[1] * left[2]) % _P == 0
