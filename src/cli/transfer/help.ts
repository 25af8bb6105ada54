export const help = `Namespaces from one deployment of the service to another, whatever either keeps them in.

  npm run -s transfer -- export (--namespace NAME | --all) FILE
  npm run -s transfer -- import FILE

Both work on the catalog and the object store that the settings of the service name (DATA_DIR, DATABASE_URL, S3_BUCKET, …). The
embedded catalog has one user at a time: stop the service first. With DATABASE_URL it may run meanwhile.

export writes what belongs to a namespace, as of one moment: principals, hashes of tokens, grants, scopes, Units in every
state, vectors, uploaded sources with their bytes, golden queries, reports, payments, the audit log with its checkpoints. FILE is
for its owner only (0600), appears when it is whole (until then it is FILE.partial) and is gzipped when its name ends in .gz.
It holds all content in the clear.

import brings all of it in, or nothing. Ids stay what they are, so it refuses what exists here already. The indexes are built
from what came in when the service next looks at it.

  exit 0  done
       1  refused, with nothing changed: a file that is not whole and as it was written, of another version, or with records
          that do not fit; a namespace, principal, token or user that exists; a log that does not verify; no such namespace
       2  not done: wrong usage or settings, a file that cannot be read or written, a catalog in use or out of reach`
