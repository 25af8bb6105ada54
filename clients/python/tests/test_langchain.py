import httpx
import pytest
from langchain_core.documents import Document
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

from multimodal_retrieval import AsyncClient, Client
from multimodal_retrieval.langchain import Retriever, VectorStore


class TestRetriever(RetrieversIntegrationTests):
    """The standard suite of LangChain."""

    @pytest.fixture(autouse=True)
    def served(self, service):
        self.base, self.token = service
        texts = [f"The lamp number {n} burns oil." for n in range(6)]
        units = [{"text": text, "external_id": f"lc{i}", "metadata": {"n": i}} for i, text in enumerate(texts)]
        with Client(self.base, self.token, scope="langchain") as client:
            client.units.ingest(units)

    @property
    def retriever_constructor(self):
        return Retriever

    @property
    def retriever_constructor_params(self):
        options = {"scope": "langchain"}
        return {
            "client": Client(self.base, self.token, **options),
            "async_client": AsyncClient(self.base, self.token, **options),
        }

    @property
    def retriever_query_example(self):
        return "which lamp burns oil?"

    def test_filters_and_scores(self):
        retriever = Retriever(**self.retriever_constructor_params, filters={"metadata": {"n": {"gte": 4}}})
        found = retriever.invoke("lamp")
        assert sorted(one.metadata["n"] for one in found) == [4, 5]
        assert all(0 < one.metadata["score"] <= 1 and one.id == one.metadata["unit_id"] for one in found)
        assert retriever.invoke("lamp", k=1, filters={"metadata": {"n": 0}})[0].metadata["n"] == 0


class TestVectorStore(VectorStoreIntegrationTests):
    """The standard suite of LangChain, with embeddings of its own."""

    @pytest.fixture
    def vectorstore(self, service):
        with Client(*service) as client:
            if "langchain" not in [one["namespace"] for one in client.namespaces.list()]:
                client.namespaces.create({"namespace": "langchain"})
        with Client(*service, namespace="langchain", scope="store") as client:
            yield VectorStore(client, self.get_embeddings())
            client.units.delete(filter={"created_after": 0}, hard=True)


def test_a_store_without_embeddings_ranks_by_words_and_meaning(service):
    with Client(*service, scope="langchain-words") as client:
        texts = ["The lamp is lit at dusk.", "The lamp is cleaned at dawn.", "The fog horn sounds."]
        store = VectorStore.from_texts(
            texts, metadatas=[{"n": n} for n in range(3)], ids=["0", "1", "2"], client=client
        )
        found = store.similarity_search_with_relevance_scores("when is the lamp lit?", k=2)
        assert [one.id for one, _ in found] == ["0", "1"] and 0 < found[1][1] < found[0][1] <= 1
        assert store.similarity_search("lamp", filter={"metadata": {"n": {"gt": 0}}}) == [
            Document(id="1", page_content=texts[1], metadata={"n": 1})
        ]
        assert len(store.as_retriever(search_type="mmr", search_kwargs={"k": 2}).invoke("lamp")) == 2
        with pytest.raises(ValueError):
            store.delete()


def test_the_client_closes_what_it_opened(service):
    http = httpx.Client()
    with Client(*service, http=http):
        pass
    assert http.is_closed
