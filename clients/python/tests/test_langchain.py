import httpx
import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from multimodal_retrieval import AsyncClient, Client
from multimodal_retrieval.langchain import Retriever


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


def test_the_client_closes_what_it_opened(service):
    http = httpx.Client()
    with Client(*service, http=http):
        pass
    assert http.is_closed
