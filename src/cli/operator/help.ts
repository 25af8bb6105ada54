import { dataDir, flagLines } from '../program/help.ts'

const reach = `The command speaks to a service that runs on the data directory through a socket in it, so run this as its user. It opens
the data of a stopped service, and those of DATABASE_URL, itself. With --url it speaks to a service anywhere, as its
super-admin.

${flagLines(
  dataDir,
  ['--url URL', "address of the service. Default: SVC_URL, with a super-admin's token or without data here"],
  ['--token-file FILE', "with --url: file with the super-admin's token. Default: SUPER_ADMIN_TOKEN, else SVC_TOKEN"],
  ['--json', 'prints the answer as JSON'],
)}`

export const tierHelp = `Shows or sets the tier of a namespace.

  multimodal-retrieval tier NAMESPACE [free|pro|enterprise] [--data-dir DIR] [--json]
  multimodal-retrieval tier NAMESPACE [free|pro|enterprise] --url URL [--token-file FILE] [--json]

The tier that is set is the one without payments: a payment of the owner can raise it, and never lowers it.

${reach}

  exit 0  done
       1  refused: there is no such namespace, or the token is not that of the super-admin
       2  not done: wrong usage or settings, service or data out of reach`

export const adminHelp = `Makes a person who has signed up an admin of a namespace, so that nobody is locked out of a service they run.

  multimodal-retrieval admin grant EMAIL [NAMESPACE] [--data-dir DIR] [--json]
  multimodal-retrieval admin grant EMAIL [NAMESPACE] --url URL [--token-file FILE] [--json]

NAMESPACE is demo by default. Someone who is an admin there already stays one.

${reach}

  exit 0  done
       1  refused: there is no such namespace, nobody has signed up with that address, or the token is not that of the super-admin
       2  not done: wrong usage or settings, service or data out of reach`
