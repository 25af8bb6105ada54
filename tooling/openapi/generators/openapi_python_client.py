import os

from service import AuthenticatedClient
from service.api.search import post_answer, post_search
from service.api.units import get_units, post_ingest, post_units_delete
from service.models import DeleteUnitsInput, IngestInput, SearchInput, UnitInput, UnitInputMetadata

client = AuthenticatedClient(os.environ["SVC_URL"], os.environ["SVC_TOKEN"])
scope = {"client": client, "x_svc_scope": os.environ["SVC_SCOPE"]}
unit = UnitInput(text="The keeper lights the lamp.", metadata=UnitInputMetadata.from_dict({"year": 1907}))
[written] = post_ingest.sync(body=IngestInput(units=[unit]), **scope).units
[hit] = post_search.sync(body=SearchInput(q="lamp keeper", top_k=1), **scope).hits
answer = post_answer.sync(body=SearchInput(q="Who lights the lamp?"), **scope).answer
[listed] = get_units.sync(**scope).units
assert written.unit_id == hit.unit_id == answer.citations[0].unit_id == listed.unit_id
assert listed.metadata["year"] == 1907
assert post_units_delete.sync(body=DeleteUnitsInput(ids=[hit.unit_id], hard=True), **scope).purged == 1
