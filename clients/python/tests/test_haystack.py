import pytest
from haystack import Document, Pipeline
from haystack.errors import FilterError
from haystack.testing import document_store as suite
from haystack.utils import Secret

from multimodal_retrieval import Client
from multimodal_retrieval.haystack import MultimodalRetrievalDocumentStore, MultimodalRetrievalRetriever


@pytest.fixture
def document_store(service, monkeypatch):
    base, token = service
    monkeypatch.setenv("MULTIMODAL_RETRIEVAL_TOKEN", token)
    store = MultimodalRetrievalDocumentStore(base, scope="haystack")
    yield store
    store.delete_all_documents()


class TestDocumentStore(
    suite.CountDocumentsTest,
    suite.WriteDocumentsTest,
    suite.FilterDocumentsTest,
    suite.DeleteDocumentsTest,
    suite.DeleteAllTest,
    suite.DeleteByFilterTest,
):
    """The standard suites of Haystack. The service gives no embeddings back."""

    @staticmethod
    def assert_documents_are_equal(received, expected):
        assert [(one.id, one.content, one.meta) for one in received] == [
            (one.id, one.content, one.meta) for one in expected
        ]

    def test_write_documents(self, document_store):
        """Without a policy they are overwritten."""
        assert document_store.write_documents([Document(id="1", content="old")]) == 1
        assert document_store.write_documents([Document(id="1", content="new")]) == 1
        assert [one.content for one in document_store.filter_documents()] == ["new"]


def test_a_pipeline_retrieves(document_store, service, monkeypatch):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "multimodal_retrieval.haystack")
    with Client(*service, scope="elsewhere") as client:
        client.units.ingest([{"text": "Another lamp.", "external_id": "other"}])
        texts = ["The lamp is lit at dusk.", "The lamp is cleaned at dawn.", "The fog horn sounds."]
        document_store.write_documents(
            [Document(id=f"{n}", content=text, meta={"n": n, "of": {"year": 1907}}) for n, text in enumerate(texts)]
        )
        pipeline = Pipeline()
        pipeline.add_component("retriever", MultimodalRetrievalRetriever(document_store, top_k=2))
        pipeline = Pipeline.from_dict(pipeline.to_dict())
        found = pipeline.run({"retriever": {"query": "when is the lamp lit?"}})["retriever"]["documents"]
        assert [one.id for one in found] == ["0", "1"] and 0 < found[1].score < found[0].score <= 1
        filters = {
            "operator": "AND",
            "conditions": [
                {"field": "meta.of.year", "operator": "==", "value": 1907},
                {"field": "id", "operator": "not in", "value": ["0"]},
                {"field": "n", "operator": "not in", "value": []},
            ],
        }
        found = pipeline.run({"retriever": {"query": "lamp", "filters": filters}})["retriever"]["documents"]
        assert [one.id for one in found] == ["1"]
        document_store.delete_all_documents()
        assert document_store.count_documents() == 0 and [one.external_id for one in client.units.list()] == ["other"]


@pytest.mark.parametrize(
    "filters",
    [
        {"field": "content", "operator": "==", "value": "a"},
        {"field": "meta.a", "operator": "like", "value": "a"},
        {"operator": "XOR", "conditions": []},
        {"operator": "AND", "conditions": []},
    ],
)
def test_filters_that_make_no_sense_are_refused(document_store, filters):
    with pytest.raises(FilterError):
        document_store.filter_documents(filters)


def test_embeddings_of_the_caller(service):
    base, token = service
    with Client(base, token) as client:
        client.namespaces.create({"namespace": "haystack"})
    store = MultimodalRetrievalDocumentStore(
        base, Secret.from_token(token), namespace="haystack", scope="own", own_vectors=True
    )
    vectors = {"a": [1.0, 0.0, 0.0], "b": [0.0, 1.0, 0.0]}
    store.write_documents([Document(id=id, content="same", embedding=vector) for id, vector in vectors.items()])
    found = MultimodalRetrievalRetriever(store).run(query_embedding=[0.1, 0.9, 0.0])["documents"]
    assert [one.id for one in found] == ["b", "a"]
