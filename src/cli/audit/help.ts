export const help = `Audit logs without the service's word for it.

  npm run -s audit -- verify FILE [--checkpoint FILE --pubkey KEY]
  npm run -s audit -- export --url URL [--namespace NAME] [--format ocsf] [--out FILE] [--token-file FILE]

verify checks an exported log (FILE, or - for standard input), with no server and no database: each line is a row of one
log, each row continues the one before, from row 1 on, and its hash is right. With a checkpoint also that it is signed by
KEY, that it is one of this log, and that its root is that of the rows. Rows behind those that it covers may be there.

  --checkpoint FILE  a signed note (c2sp.org/tlog-checkpoint), as GET /v1/audit/checkpoint gave it out, best long ago
  --pubkey KEY       the verifier key <name>+<id>+<base64>, or a file that holds one on each line

  exit 0  intact
       1  broken: a row is missing, changed, out of place, of another log or unreadable (the first such row is named);
          or the checkpoint is not signed by KEY, is of another log, covers more rows, or has another root
       2  not checked: wrong usage, a file or key that cannot be read, no rows, a first line that is not an audit row, or a
          file that does not begin with row 1

export asks the service for a link and writes the log to FILE, or to standard output.

  --url URL          where the service is, such as http://127.0.0.1:8787
  --namespace NAME   another namespace than the token's own
  --format ocsf      events for a SIEM, which verify cannot check, instead of rows
  --out FILE         appears when it is whole; until then it is FILE.partial
  --token-file FILE  holds the token of an admin; without it the token is taken from SVC_TOKEN

  exit 0  written
       2  not written`
