import pytest
from llama_index.core import Settings, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from multimodal_retrieval import Client, verify_citation
from multimodal_retrieval.llamaindex import CitationRetriever, VectorStore

rows = [
    {"name": "Sable Rock", "year": 1907, "tags": ["lamp", "oil"], "a.b": 1},
    {"name": "sable point", "year": 1912, "tags": ["fog"], "keeper": "Ann"},
    {"name": "Grey Point", "year": 1920, "tags": ["lamp"], "keeper": "Bo"},
]
texts = ["The keeper of Sable Rock lights the lamp at dusk.", "The fog horn sounds.", "The lamp of Grey Point is dark."]


def nodes():
    made = [
        TextNode(id_=f"n{i}", text=text, metadata=row, embedding=[float(i == n) for n in range(3)])
        for i, (text, row) in enumerate(zip(texts, rows, strict=True))
    ]
    for i, node in enumerate(made):
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="south" if i == 1 else "north")
    return made


@pytest.fixture
def store(service):
    with Client(*service, scope="llamaindex") as client:
        made = VectorStore(client)
        made.add(nodes())
        yield made
        made.clear()
        assert made.get_nodes() == []


def one(key, operator, value):
    return MetadataFilter(key=key, operator=operator, value=value)


O = FilterOperator  # noqa: E741
filters = [
    one("year", O.EQ, 1907),
    one("year", O.NE, 1907),
    one("year", O.GT, 1907),
    one("year", O.GTE, 1912),
    one("year", O.LT, 1912),
    one("year", O.LTE, 1912),
    one("name", O.IN, ["Grey Point", "Sable Rock"]),
    one("name", O.NIN, ["Grey Point"]),
    one("tags", O.ANY, ["oil", "fog"]),
    one("tags", O.ALL, ["lamp", "oil"]),
    one("tags", O.CONTAINS, "fog"),
    one("name", O.TEXT_MATCH, "Point"),
    one("name", O.TEXT_MATCH_INSENSITIVE, "SABLE"),
    one("name", O.TEXT_MATCH_INSENSITIVE, "nowhere"),
    one("keeper", O.IS_EMPTY, None),
    one("name", O.IN, []),
    one("a.b", O.EQ, 1),
]
joined = [
    MetadataFilters(filters=[one("year", O.GT, 1907), one("tags", O.CONTAINS, "lamp")], condition=condition)
    for condition in FilterCondition
]


def test_every_operator_is_tried():
    assert {filter.operator for filter in filters} == set(FilterOperator)


@pytest.mark.parametrize("given", filters + joined, ids=str)
def test_filters_find_what_they_find_in_memory(store, given):
    asked = given if isinstance(given, MetadataFilters) else MetadataFilters(filters=[given])
    memory = SimpleVectorStore()
    memory.add(nodes())
    expected = memory.query(VectorStoreQuery([1.0, 1.0, 1.0], similarity_top_k=3, filters=asked)).ids
    assert sorted(node.node_id for node in store.get_nodes(filters=asked)) == sorted(expected)


def test_nodes_come_back_as_they_were(store):
    def facts(node):
        return node.node_id, node.text, node.metadata, node.relationships

    assert [facts(node) for node in store.get_nodes()] == [facts(node) for node in nodes()]
    assert [node.node_id for node in store.get_nodes(["n2", "n0"])] == ["n0", "n2"]
    store.delete("north")
    assert [node.node_id for node in store.get_nodes()] == ["n1"]
    store.delete_nodes(["n1"])
    assert store.get_nodes() == []


async def test_an_index_searches(store):
    Settings.embed_model = MockEmbedding(embed_dim=3)
    context = StorageContext.from_defaults(vector_store=store)
    index = VectorStoreIndex([TextNode(id_="n3", text="The bell of Sable Rock rings.")], storage_context=context)
    asked = MetadataFilters(filters=[one("year", O.LT, 1912)])
    assert index.as_retriever(similarity_top_k=1).retrieve("Which bell rings?")[0].node.node_id == "n3"
    found = await index.as_retriever(filters=asked).aretrieve("lamp")
    assert [one.node.node_id for one in found] == ["n0"] and 0 < found[0].score <= 1
    with pytest.raises(ValueError, match="svm"):
        store.query(VectorStoreQuery(query_str="a", mode=VectorStoreQueryMode.SVM))


async def test_quotes_are_checked(store):
    retriever = CitationRetriever(store.client, top_k=5)
    for found in retriever.retrieve("Who lights the lamp?"), await retriever.aretrieve("Who lights the lamp?"):
        [citation] = [cited for one in found for cited in one.node.metadata["citations"]]
        assert found[0].node.node_id == "n0" and citation["quote"] == texts[0]
        assert verify_citation(citation, found[0].node.text).ok


def test_embeddings_of_the_caller(service):
    with Client(*service) as client:
        client.namespaces.create({"namespace": "llamaindex"})
    with Client(*service, namespace="llamaindex", scope="own") as client:
        store = VectorStore(client, own_vectors=True)
        store.add(nodes())
        near, words = [0.0, 0.1, 0.9], "keeper of Sable Rock"

        def found(mode, **more):
            query = VectorStoreQuery(near, similarity_top_k=3, query_str=words, mode=mode, **more)
            return store.query(query).ids

        assert found(VectorStoreQueryMode.DEFAULT)[:2] == ["n2", "n1"]
        assert found(VectorStoreQueryMode.TEXT_SEARCH)[0] == "n0"
        assert found(VectorStoreQueryMode.HYBRID, alpha=0.0)[0] == "n0"
        assert found(VectorStoreQueryMode.HYBRID, alpha=1.0)[0] == "n2"
        assert found(VectorStoreQueryMode.MMR, mmr_threshold=0.9)[0] == "n2"
        assert store.query(VectorStoreQuery(near, doc_ids=["south"])).ids == ["n1"]
        assert store.query(VectorStoreQuery(near, node_ids=["n0"])).ids == ["n0"]
