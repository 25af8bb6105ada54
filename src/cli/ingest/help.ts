import { envFile, flagLines, namespace, tokenFile, url } from '../program/help.ts'

export const help = `Takes in the files of folders: uploads what the service does not have, and says what became of each file.

  multimodal-retrieval ingest PATH… [--scope S] [--groups a,b] [--metadata k=v]… [options]

${flagLines(
  ['PATH', 'a folder or a file; relative ones count from the current folder'],
  url,
  tokenFile,
  namespace,
  ['--scope SCOPE', 'where the Units go. Default: the active scope of the key'],
  ['--groups a,b', "groups that may read the Units, '*' for everyone in the scope. Default: only the caller may"],
  ['--metadata KEY=TEXT', 'of every Unit; may be given more than once'],
  [
    '--include GLOB',
    'only such files. A glob without / is a name at any depth, any other one a path below PATH. Repeatable',
  ],
  ['--exclude GLOB', 'no such files. Repeatable'],
  ['--no-ignore', 'also what .gitignore and .ingestignore files name'],
  ['--delete-missing', "delete the caller's documents whose file is not in its folder any more"],
  ['--hard', 'with --delete-missing: for good'],
  ['--force', 'take in what is unchanged, too'],
  ['--dry-run', 'change nothing, and say what would be done'],
  ['--watch', 'go on taking in changes until SIGINT'],
  ['--ledger FILE', 'gets a line of JSON for each file. Default: ingest-ledger.ndjson'],
  ['--concurrency N', 'files at once, 1 to 64. Default: 8'],
  ['--json', 'print only a summary, as JSON'],
  envFile,
)}

  exit 0  nothing failed
       1  a file failed, and the others are in
       2  nothing was begun`
