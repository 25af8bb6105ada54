import { dataDir, envFile, flagLines, url } from '../program/help.ts'

export const help = `Puts the demo data in, and prints its tokens.

  multimodal-retrieval seed [--url URL] [--token-file FILE] [--out FILE] [--json]
  multimodal-retrieval seed --rotate [--data-dir DIR] [--out FILE] [--json]

The first form calls POST /v1/admin/seed of a running service. Without any principal it needs no token; after that it needs
the token of an admin of the namespace demo.

${flagLines(
  url,
  ['--token-file FILE', 'file with the token of an admin of demo. Default: SVC_TOKEN, if it is set'],
  ['--out FILE', 'write the response to a new file that only its owner may read (0600) instead of printing it'],
  ['--json', 'print the response as JSON, as everywhere but on a terminal'],
)}

--rotate replaces lost tokens and needs none. It works on the data of a stopped service: it replaces the five tokens and
restores seeded principals and grants that are missing. Content does not change. With DATABASE_URL it replaces the tokens in
that database; a running service accepts the old ones for up to 5 s.

${flagLines(dataDir, envFile)}

  exit 0  done
       1  refused by the service, or there is no seeded data to rotate
       2  not done: wrong usage or settings, service unreachable, data in use by a running service, file exists`
