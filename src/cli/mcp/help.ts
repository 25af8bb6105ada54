export const help = `Connects a program that speaks the Model Context Protocol over stdio, such as a desktop agent, to a running service.

  multimodal-retrieval mcp --stdio [--url URL] [--token-file FILE] [--namespace NAME] [--scope SCOPE]

Messages are read from stdin and answers written to stdout, one JSON text per line. Problems are written to stderr.

  --stdio            the transport; required
  --url URL          address of the service. Default: SVC_URL, else http://127.0.0.1:PORT
  --token-file FILE  file with an API key. Default: SVC_TOKEN
  --namespace NAME   a namespace other than the key's own
  --scope SCOPE      the scope of all requests. Tools can only narrow it
  --env-file FILE    settings file. Default: .env in the working directory

  exit 0  stdin ended, and every message was answered
       2  not begun: wrong usage, no token`
