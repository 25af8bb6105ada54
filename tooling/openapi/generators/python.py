import importlib
import os
import pkgutil
from datetime import UTC, datetime, timedelta

import openapi_client
from openapi_client import DeleteUnitsInput, IngestInput, PointInTime, SearchFiltersInput, SearchInput, UnitInput

for module in pkgutil.walk_packages(openapi_client.__path__, "openapi_client."):
    importlib.import_module(module.name)
config = openapi_client.Configuration(host=os.environ["SVC_URL"], access_token=os.environ["SVC_TOKEN"])
with openapi_client.ApiClient(config) as client:
    units, search = openapi_client.UnitsApi(client), openapi_client.SearchApi(client)
    scope = {"x_svc_scope": os.environ["SVC_SCOPE"]}
    unit = UnitInput(text="The keeper lights the lamp.", metadata={"year": 1907})
    [written] = units.post_ingest(IngestInput(units=[unit]), **scope).units
    filters = SearchFiltersInput(metadata={"year": {"gte": 1900}}, created_after=PointInTime(datetime.now(UTC) - timedelta(days=1)))
    [hit] = search.post_search(SearchInput(q="lamp keeper", filters=filters), **scope).hits
    answer = search.post_answer(SearchInput(q="Who lights the lamp?"), **scope).answer
    [listed] = units.get_units(**scope).units
    assert written.unit_id == hit.unit_id == answer.citations[0].unit_id == listed.unit_id
    assert listed.metadata["year"] == 1907
    assert units.post_units_delete(DeleteUnitsInput(ids=[hit.unit_id], hard=True), **scope).purged == 1
