export const help = `Seeds the demo dataset, and prints the answer with its tokens.

  npm run -s seed -- [--url URL] [--token-file FILE] [--out FILE]
  npm run -s seed -- --rotate [--data-dir DIR] [--out FILE]

The first form asks a running service, as POST /v1/admin/seed does: open while there is no principal, then for an admin of
the namespace demo.

  --url URL          where the service is; without it SVC_URL, else http://127.0.0.1:PORT
  --token-file FILE  holds the token of an admin of demo; without it the token is taken from SVC_TOKEN, if it is set
  --out FILE         write the answer to a new file that only its owner may read (0600), instead of printing it

--rotate is for anyone who lost the tokens, and needs none: it replaces the five tokens in the data of a service that is
stopped, and brings back seeded principals and grants that are missing. Content stays as it is. With DATABASE_URL the
tokens in that database are replaced; a service that runs on it takes the old ones for up to 5 s more.

  --data-dir DIR     instead of DATA_DIR
  --env-file FILE    settings to read, instead of those of .env in the working directory

  exit 0  done
       1  refused by the service, or nothing was seeded that could be rotated
       2  not done: wrong usage or settings, a service out of reach, data in use by a running service, a file that exists`
