export const help = `Takes in the files of folders: uploads what the service does not have, and says what became of each file.

  multimodal-retrieval ingest PATH… [--scope S] [--groups a,b] [--metadata k=v]… [options]

  PATH                 a folder or a file; relative ones count from the current folder
  --url URL            where the service is; else SVC_URL, else http://127.0.0.1:PORT
  --token-file FILE    holds the caller's token; without it the token is taken from SVC_TOKEN
  --namespace NAME     another namespace than the token's own
  --scope SCOPE        where the Units go; by default the caller's active scope
  --groups a,b         groups that may read the Units, '*' for everyone in the scope; by default only the caller may
  --metadata KEY=TEXT  of every Unit; may be given more than once
  --include GLOB       only such files; --exclude GLOB: no such files. A glob without / is a name at any depth, any other
                       one a path below PATH. Both may be given more than once
  --no-ignore          also what .gitignore and .ingestignore files name
  --delete-missing     delete the caller's documents whose file is not in its folder any more; with --hard for good
  --force              take in what is unchanged, too
  --dry-run            change nothing, and say what would be done
  --watch              go on taking in changes until SIGINT
  --ledger FILE        gets a line of JSON for each file; by default ingest-ledger.ndjson
  --concurrency N      files at once, 1 to 64; by default 8
  --json               print only a summary, as JSON

  exit 0  nothing failed
       1  a file failed, and the others are in
       2  nothing was begun`
