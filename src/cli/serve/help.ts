export const help = `Serves the API.

  npm start -- [--host HOST] [--port PORT] [--data-dir DIR] [--env-file FILE]

  --host HOST      address to listen on, instead of HOST
  --port PORT      port to listen on, instead of PORT; 0 picks a free one
  --data-dir DIR   directory of the embedded catalog and of uploaded sources, instead of DATA_DIR
  --env-file FILE  settings to read; without it those of .env in the working directory, if it is there. What is set
                   already wins
  -h, --help       print this
  -V, --version    print the version

deploy/ENVIRONMENT.md lists all settings. SIGTERM and SIGINT end it once what is in flight is answered.

  exit 0  ended by a signal
       1  cannot start or cannot stop cleanly; the reason is on standard error
       2  wrong usage`
