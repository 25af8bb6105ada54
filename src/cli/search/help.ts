export const help = `Searches a running service.

  multimodal-retrieval search QUERY [--top-k N] [--planes a,b] [--rerank] [--answer] [--json]

It prints a line per hit: rank, score, plane, id, and the beginning of the text.

  --top-k N          number of hits, 1 to 50. Default: 10
  --planes a,b       planes to search, of text, visual, audio and doc_visual. Default: all
  --rerank           request reranking
  --answer           request an answer too, and print it first
  --json             print the response of POST /v1/search
  --url URL          address of the service. Default: SVC_URL, else http://127.0.0.1:PORT
  --token-file FILE  file with an API key. Default: SVC_TOKEN
  --namespace NAME   a namespace other than the key's own
  --scope SCOPE      the scope to search, * for all. Default: the active scope of the key
  --env-file FILE    settings file. Default: .env in the working directory

  exit 0  searched; there may be no hits
       1  refused by the service
       2  not searched: wrong usage, no token, service unreachable`
