export const help = `Serves the API.

  multimodal-retrieval serve [--host HOST] [--port PORT] [--data-dir DIR] [--env-file FILE]

  --host HOST      address to listen on. Default: HOST
  --port PORT      port to listen on; 0 selects a free one. Default: PORT
  --data-dir DIR   directory of the embedded catalog and of sources. Default: DATA_DIR
  --env-file FILE  settings file. Default: .env in the working directory, if it exists. Variables that are already set
                   win over the file
  -h, --help       print this help
  -V, --version    print the version

deploy/ENVIRONMENT.md lists all settings. After SIGTERM or SIGINT it answers the requests in progress, then exits.

  exit 0  stopped by a signal
       1  cannot start or cannot stop cleanly; the reason is on standard error
       2  wrong usage`
