export const help = `Asks golden queries, whose right results are known, and says how well the service does.

  npm run -s evaluate -- --url URL [--file FILE [--replace]] [--publish] [--json]

  --url URL            where the service is, such as http://127.0.0.1:8787
  --token-file FILE    holds the token of an admin principal; without it the token is taken from SVC_TOKEN. What that
                       principal may read decides what can be found
  --namespace NAME     another namespace than the token's own
  --scope SCOPE        a path, or *: where every query asks, whatever it says itself
  --file FILE          golden queries to write first, one JSON object on each line:
                       {"q": "…", "expected_unit_ids": […], "expected_external_ids": […], "expected_answers": […],
                       "scope": "…"}; at least one expectation, the others and the scope may be left out
  --replace            then delete the golden queries that are not in the file
  --answers            ask for answers, too (--no-answers: don't); by default where the tier offers them
  --rerank             ask for reranking
  --run ID             go on with a run that broke off
  --min METRIC=VALUE   what a mean must reach, such as ndcg@10=.7; may be given more than once
  --publish            make it the report of the namespace, which GET /v1/eval and /v1/benchmarks return
  --json               print the report as JSON instead of a table

  exit 0  measured
       1  measured, but a mean does not reach its --min; nothing was published
       2  not measured`
