import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.SearchApi;
import org.openapitools.client.api.UnitsApi;
import org.openapitools.client.model.DeleteUnitsInput;
import org.openapitools.client.model.IngestInput;
import org.openapitools.client.model.SearchFiltersInput;
import org.openapitools.client.model.SearchInput;
import org.openapitools.client.model.UnitInput;

public class Tour {
  public static void main(String[] args) throws Exception {
    String scope = System.getenv("SVC_SCOPE");
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("SVC_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("SVC_TOKEN")));
    UnitsApi units = new UnitsApi(client);
    SearchApi search = new SearchApi(client);
    UnitInput unit = new UnitInput().text("The keeper lights the lamp.").metadata(Map.of("year", 1907));
    String id = units.postIngest(new IngestInput().units(List.of(unit)), null, scope, null, null).getUnits().get(0).getUnitId();
    SearchFiltersInput filters = new SearchFiltersInput().metadata(Map.of("year", Map.of("gte", 1900)));
    SearchInput query = new SearchInput().q("lamp keeper").filters(filters);
    String found = search.postSearch(query, null, null, scope, null, null).getHits().get(0).getUnitId();
    SearchInput question = new SearchInput().q("Who lights the lamp?");
    String cited = search.postAnswer(question, null, null, scope, null, null).getAnswer().getCitations().get(0).getUnitId();
    String listed =
        units.getUnits(null, null, null, null, null, null, null, null, null, null, scope, null, null).getUnits().get(0).getUnitId();
    int purged = units.postUnitsDelete(new DeleteUnitsInput().ids(List.of(id)).hard(true), null, scope, null, null).getPurged();
    if (!(found.equals(id) && cited.equals(id) && listed.equals(id) && purged == 1)) throw new AssertionError(found + cited + listed);
  }
}
