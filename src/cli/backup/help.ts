import { dataDir, flagLines } from '../program/help.ts'

export const help = `Backs up the data directory of an embedded deployment, while the service serves or while it is stopped.

  multimodal-retrieval backup TO [--data-dir DIR] [--without-keys] [--keep N] [--json]

TO is a folder of snapshots. The first one takes everything, and each later one only what changed. A snapshot shows one
moment after the command began: everything acknowledged before, no half of a transaction, and the bytes of every source.
Requests continue meanwhile. The command speaks to the service through its data directory, so run this as its user.

${flagLines(
  dataDir,
  [
    '--without-keys',
    'leaves DATA_DIR/secrets out: after a restore people sign in again, and a new key signs the audit log',
  ],
  ['--keep N', 'afterwards removes all snapshots but the newest N, and what only they need'],
  ['--json', 'prints the snapshot as JSON, without its list of files'],
)}

Its content is not encrypted. Only the owner can read it (folders 0700, files 0600). With DATABASE_URL the data are on a
server: docs/backup.md says how to back them up there.

  exit 0  done
       1  refused: TO holds something else, or a damaged or newer backup
       2  not done: wrong usage or settings, no data in DIR, files or the service out of reach`
