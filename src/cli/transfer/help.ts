import { dataDir, flagLines } from '../program/help.ts'

export const help = `Moves namespaces from one deployment of the service to another. The two may use different databases and stores.

  multimodal-retrieval transfer export (--namespace NAME | --all) FILE [--data-dir DIR]
  multimodal-retrieval transfer import FILE [--data-dir DIR]

Both use the catalog and the object store of the service's settings (DATA_DIR, DATABASE_URL, S3_BUCKET, …). Stop the service
before you use an embedded catalog. With DATABASE_URL it may keep running.

export writes a consistent snapshot of a namespace: principals, token hashes, grants, scopes, Units in every state, vectors,
sources with their bytes, golden queries, reports, payments, and the audit log with its checkpoints. Only the owner can read
FILE (0600). It is written as FILE.partial and renamed when it is complete. It is compressed if its name ends in .gz. Its
content is not encrypted.

import writes all of it, or nothing. Ids stay the same, so it refuses what already exists. The service rebuilds the indexes
when it next opens the catalog.

${flagLines(dataDir)}

  exit 0  done
       1  refused, nothing changed: the file is incomplete, changed, of another version or inconsistent; a namespace,
          principal, token or user exists already; a log does not verify; the namespace does not exist
       2  not done: wrong usage or settings, a file that cannot be read or written, a catalog in use or unreachable`
