"""A user's program, which `mypy --strict` checks: what the client returns has types."""

from multimodal_retrieval import AsyncClient, Client, Hit, SvcError, verify_citation


def answered(client: Client, question: str) -> list[str]:
    found = client.answer(question, top_k=5, filters={"metadata": {"year": {"gte": 1900}}})
    if found.answer is None or found.answer.abstained:
        return []
    quotes: list[str] = []
    for citation in found.answer.citations:
        unit = client.units.get(citation.unit_id)
        page: int | None = unit.locator.page if unit.locator else None
        if verify_citation(citation, unit).ok and page != 0:
            quotes.append(citation.quote)
    return quotes


def registered(client: Client) -> dict[str, int]:
    client.scopes.create({"scope": "typed/sub"})
    token: str | None = client.principals.create({"name": "Typed"}).token
    assert token
    members = {group.name: group.members for group in client.groups.list()}
    return {**members, **{scope.scope: scope.created_at for scope in client.scopes.list()}}


async def searched(client: AsyncClient, q: str) -> list[Hit]:
    try:
        return sorted((await client.search(q)).hits, key=lambda hit: hit.score)
    except SvcError as error:
        raise SystemExit(f"{error.status} {error.detail}") from error
