import json

import numpy
import openai
import pytest

from multimodal_retrieval import (
    AsyncClient,
    BadRequest,
    Client,
    ConnectionError,
    NotFound,
    SearchResponse,
    Sentence,
    Unauthorized,
    verify_citation,
    verify_consistency,
    verify_export,
    verify_inclusion,
)

lamp = "The keeper of Sable Rock lights the lamp at dusk."
question = "Who lights the lamp of Sable Rock?"


def ingested(client: Client) -> str:
    return client.units.ingest([{"text": lamp, "external_id": "lamp", "metadata": {"year": 1907}}]).units[0]["unit_id"]


def test_units_go_in_are_found_and_go(client):
    unit_id = ingested(client)
    result = client.units.ingest([{"text": "The oil is stored below.", "external_id": "oil"}], idempotency_key="oil")
    assert (
        client.units.ingest([{"text": "The oil is stored below.", "external_id": "oil"}], idempotency_key="oil").seq
        == result.seq
    )
    assert client.units.get(unit_id).text == lamp
    hits = client.search(
        "lamp keeper", filters={"metadata": {"year": {"gt": 1900}}}, options={"after_seq": result.seq}
    ).hits
    assert [hit.unit_id for hit in hits] == [unit_id] and hits[0].score > 0
    assert {unit.external_id for unit in client.units.list(limit=1)} == {"lamp", "oil"}
    assert [unit.unit_id for unit in client.units.list(filters={"not": {"external_id": ["oil"]}})] == [unit_id]
    changed = client.units.update_readers(filter={"metadata": {"year": {"lt": 1908}}}, acl_groups=["keepers"])
    assert changed["matched"] == 1 and client.units.get(unit_id).acl_groups == ["keepers"]
    assert client.units.update_readers(ids=["lamp"], acl_groups=["*"])["seq"] > changed["seq"]
    with pytest.raises(BadRequest):
        client.units.update_readers(acl_groups=["*"])
    assert client.units.delete(ids=[hit.unit_id for hit in client.search("oil", top_k=1).hits], hard=True).purged == 1


def test_an_answer_is_cited_and_its_quotes_are_checked(client):
    ingested(client)
    whole = client.answer(question)
    [citation] = whole.answer.citations
    unit = client.units.get(citation.unit_id)
    assert verify_citation(citation, unit).ok
    assert verify_citation(citation, unit.text + "!").reason == "the text has another SHA-256"
    assert (
        verify_citation({**citation.model_dump(), "start": 1}, unit).reason
        == "the quote is not at its place in the text"
    )
    assert not verify_citation({"sha256": 3}, unit).ok
    events = list(client.answer_stream(question))
    assert isinstance(events[0], list) and events[0][0].unit_id == citation.unit_id
    assert isinstance(events[1], Sentence) and events[1].text == whole.answer.text
    assert isinstance(events[-1], SearchResponse) and events[-1].answer == whole.answer


def test_texts_with_other_ends_of_lines_are_streamed(client):
    text = "The horn of Grey Point\u2028sounds in fog.\x85"
    client.units.ingest([{"text": text, "external_id": "horn"}])
    hits = next(client.answer_stream("Where does the horn sound?"))
    assert text in [hit.text for hit in hits]
    client.units.delete(ids=["horn"])


async def test_the_asynchronous_client_does_the_same(service, client):
    unit_id = ingested(client)
    async with AsyncClient(*service, scope="python") as other:
        assert (await other.search("lamp keeper", top_k=1)).hits[0].unit_id == unit_id
        assert unit_id in [unit.unit_id async for unit in other.units.list(limit=1)]
        assert [json.loads(line)["seq"] async for line in other.audit.export()][:2] == [1, 2]
        events = [event async for event in other.answer_stream(question)]
        assert events[-1].answer.citations[0].unit_id == unit_id
        with pytest.raises(NotFound):
            await other.units.get("nothing")


def test_vectors_are_arrays(client):
    vectors = numpy.eye(4, 8)
    units = [{"external_id": f"v{i}", "modality": "audio_utterance", "vector": one} for i, one in enumerate(vectors)]
    client.units.ingest(units)
    found = client.search(vector={"audio": vectors[2]}, planes=["audio"], top_k=1).hits
    assert found[0].external_id == "v2"
    assert client.search(vector={"audio": list(vectors[1])}, planes=["audio"], top_k=1).hits[0].external_id == "v1"


def test_a_file_becomes_a_document(client, tmp_path):
    path = tmp_path / "tides.md"
    path.write_text("# Tides\n\nThe spring tide comes at new moon.")
    document = client.documents.wait(
        client.documents.upload(path, scope="python", metadata={"kind": "note"}).document_id
    )
    assert document.status == "ready" and document.metadata["kind"] == "note"
    with path.open("rb") as file:
        assert (
            client.documents.upload(file, scope="python", metadata={"kind": "note"}).document_id == document.document_id
        )
    assert client.search("spring tide", top_k=1).hits[0].doc_id == "tides.md"
    assert client.documents.delete([document.document_id]) == 1
    source = client.sources.upload(b"tides", name="tides.txt")
    assert source.bytes == 5 and source.name == "tides.txt" and source.created_at > 0
    with pytest.raises(ValueError):
        client.documents.upload(b"x")


def test_registries_keys_and_groups(client):
    assert client.scopes.create({"scope": "python/sub"})["scope"] == "python/sub"
    assert "python/sub" in [one["scope"] for one in client.scopes.list()]
    assert client.scopes.delete("python/sub")["deleted"]
    key = client.keys.create("test", perms=["read"])
    assert key["key"]["id"] in [one["id"] for one in client.keys.list()]
    client.keys.revoke(key["key"]["id"])
    # Whoever owns a namespace may fill all of its groups.
    own = {"namespace": client.namespaces.create({"namespace": "python"})["namespace"]}
    ann = client.principals.create({"name": "Ann"}, **own)["principal_id"]
    group = client.groups.change("keepers", add=[ann], display_name="Keepers", **own)
    assert group["members"] == 1 and group["display_name"] == "Keepers"
    assert [one["name"] for one in client.groups.list(prefix="keep", **own)] == ["keepers"]
    client.groups.change("watch", add_groups=["keepers"], **own)
    members = [(one["principal_id"], one["direct"]) for one in client.groups.members("watch", **own)]
    assert members == [(ann, False)]
    assert client.groups.change("keepers", remove=[ann], **own)["members"] == 0
    assert client.context()["principal"]["namespace"] and client.health()["status"] == "ok"


def test_the_audit_log_is_checked_here(client):
    ingested(client)
    checkpoint = client.audit.checkpoint()
    client.search("lamp")
    ingested(client)
    client.units.ingest([{"text": "More.", "external_id": "more"}])
    rows = list(client.audit.list())
    assert [row["seq"] for row in rows] == sorted((row["seq"] for row in rows), reverse=True)
    row = next(row for row in rows if row["seq"] == checkpoint["size"])
    proof = client.audit.proof(seq=row["seq"])
    key = checkpoint["verifier_key"]
    assert verify_inclusion(row, proof, key).ok
    assert not verify_inclusion({**row, "action": "units.get"}, proof, key).ok
    latest = client.audit.checkpoint()
    grown = client.audit.proof(start=checkpoint["size"], size=latest["size"])
    assert latest["size"] > checkpoint["size"] and verify_consistency(checkpoint, grown, key).ok
    assert not verify_consistency({**checkpoint, "size": 1}, grown, key).ok
    assert client.audit.verify()["intact"]
    exported = verify_export(client.audit.export(), latest, key)
    assert exported.ok and exported.rows >= latest["size"]
    lines = list(client.audit.export())
    assert not verify_export([*lines[:3], *lines[4:]], latest, key).ok
    assert json.loads(next(client.audit.export(format="ocsf")))["class_uid"]


def test_errors_have_classes(service, client):
    with pytest.raises(BadRequest) as wrong:
        client.search("a", top_k=0)
    assert wrong.value.detail.startswith("top_k: ") and wrong.value.status == 400 and wrong.value.request_id
    with pytest.raises(BadRequest):
        client.graphql("{ nothing }")
    with pytest.raises(BadRequest):
        next(client.answer_stream(""))
    with pytest.raises(Unauthorized), Client(service[0], "svc_sk_no_1") as stranger:
        stranger.context()
    with pytest.raises(ConnectionError), Client("http://127.0.0.1:9", max_retries=0) as nowhere:
        nowhere.health()


def test_the_official_openai_client(service, client):
    ingested(client)
    base, token = service
    official = openai.OpenAI(
        base_url=f"{base}/openai/v1?scope=python", api_key=token, default_query={"scope": "python"}
    )
    official.base_url = f"{base}/openai/v1"
    messages = [{"role": "user", "content": question}]
    chat = official.chat.completions.create(model="svc-answer", messages=messages)
    assert chat.choices[0].message.content == f"{lamp} [1]"
    [note] = chat.choices[0].message.annotations
    assert chat.choices[0].message.content[note.url_citation.start_index : note.url_citation.end_index] == "[1]"
    chunks = official.chat.completions.create(model="svc-answer", messages=messages, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == f"{lamp} [1]"
    tool = {"type": "file_search", "vector_store_ids": ["python"]}
    assert official.responses.create(model="svc-answer", input=question, tools=[tool]).output_text == f"{lamp} [1]"
    model = official.models.list().data[2].id
    assert len(official.embeddings.create(model=model, input=[lamp]).data[0].embedding) > 10
    assert official.vector_stores.search("python", query="lamp keeper").data[0].content[0].text == lamp
    with pytest.raises(openai.BadRequestError) as refused:
        official.chat.completions.create(model="svc-answer", messages=messages, n=2)
    assert refused.value.param == "n" and refused.value.code == "bad_request"
