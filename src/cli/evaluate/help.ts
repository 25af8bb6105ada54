import { envFile, flagLines, namespace, url } from '../program/help.ts'

export const help = `Runs golden queries, whose correct results are known, and reports the quality of the results.

  multimodal-retrieval evaluate [--url URL] [--file FILE [--replace]] [--publish] [--json] [--fit]

${flagLines(
  url,
  [
    '--token-file FILE',
    'file with the token of an admin principal. Default: SVC_TOKEN. Queries find only what this principal may read',
  ],
  namespace,
  ['--scope SCOPE', 'a path, or *: overrides the scope of every query'],
  [
    '--file FILE',
    'golden queries to write first, one JSON object per line: {"q": "…", "expected_unit_ids": […], "expected_external_ids": […], "expected_answers": […], "scope": "…"}; q and at least one expectation are required',
  ],
  ['--replace', 'then delete the golden queries that are not in the file'],
  ['--answers', 'also request answers (--no-answers: never). Default: if the tier includes them'],
  ['--rerank', 'request reranking'],
  ['--run ID', 'resume an interrupted run'],
  ['--min METRIC=VALUE', 'minimum of a mean, e.g. ndcg@10=.7; may be repeated'],
  ['--publish', 'publish the report: GET /v1/eval and /v1/benchmarks return it'],
  ['--fit', 'compare weights of vectors beside texts, and say which one these queries call for; publishes nothing'],
  ['--json', 'print the report as JSON instead of a table'],
  envFile,
)}

  exit 0  measured
       1  measured, but a mean is below its --min; nothing was published
       2  not measured`
