import { flagLines, namespace, url } from '../program/help.ts'

export const help = `Exports and verifies audit logs. Verifying trusts neither the service nor its database.

  multimodal-retrieval audit verify FILE [--checkpoint FILE --pubkey KEY]
  multimodal-retrieval audit export [--url URL] [--namespace NAME] [--format ocsf] [--out FILE] [--token-file FILE]

verify checks an exported log (FILE, or - for standard input) without a server. Every line must be a row of the same log.
Rows start at 1 and have no gap. Every hash must be correct. With a checkpoint it also checks that KEY signed it, that it
belongs to this log and that its root is the root of the rows that it covers. The log may hold more rows than that.

  --checkpoint FILE  a signed note (c2sp.org/tlog-checkpoint) of GET /v1/audit/checkpoint; an old one proves more
  --pubkey KEY       the verifier key <name>+<id>+<base64>, or a file with one key per line

  exit 0  the log is intact
       1  the log is broken: the first row that is missing, changed, out of order, of another log or unreadable is named;
          or the checkpoint has another signer, log or root, or covers more rows than the file has
       2  not checked: wrong usage, a file or key that cannot be read, no rows, a first line that is not an audit row, or a
          file that does not begin with row 1

export requests a link from the service and writes the log to FILE, or to standard output.

${flagLines(
  url,
  namespace,
  ['--format ocsf', 'write OCSF events for a SIEM instead of rows; verify cannot check them'],
  ['--out FILE', 'written as FILE.partial and renamed when it is complete'],
  ['--token-file FILE', 'file with the token of an admin. Default: SVC_TOKEN'],
)}

  exit 0  written
       2  not written`
