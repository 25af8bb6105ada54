import { envFile, flagLines, namespace, tokenFile, url } from '../program/help.ts'

const common = [
  ['--top-k N', 'number of hits, 1 to 50. Default: 10'],
  ['--planes a,b', 'planes to search, of text, visual, audio and doc_visual. Default: all'],
  ['--rerank', 'request reranking'],
] as const

const scope = ['--scope SCOPE', 'the scope to search, * for all. Default: the active scope of the key'] as const
const service = [url, tokenFile, namespace, scope, envFile] as const

export const searchHelp = `Searches a running service.

  multimodal-retrieval search QUERY [--top-k N] [--planes a,b] [--rerank] [--answer] [--json]

It prints a line per hit: rank, score, plane, id, and the beginning of the text. On a narrow terminal the text has a line of
its own.

${flagLines(
  ...common,
  ['--answer', 'request an answer too, and print it first with its citations'],
  ['--json', 'print the response of POST /v1/search'],
  ...service,
)}

  exit 0  searched; there may be no hits
       1  refused by the service
       2  not searched: wrong usage, no token, service unreachable`

export const askHelp = `Asks a running service a question, and prints an answer that cites its sources.

  multimodal-retrieval ask QUESTION [--top-k N] [--planes a,b] [--rerank] [--json]

It prints the answer, then a line per citation: its number, the id of the Unit, and the quote. Without an answer it prints
what a search finds.

${flagLines(...common, ['--json', 'print the response of POST /v1/answer'], ...service)}

  exit 0  asked; the answer may be that nothing found answers the question
       1  refused by the service
       2  not asked: wrong usage, no token, service unreachable`
