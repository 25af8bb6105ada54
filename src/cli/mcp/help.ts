import { envFile, flagLines, namespace, tokenFile, url } from '../program/help.ts'

export const help = `Connects a program that speaks the Model Context Protocol over stdio, such as a desktop agent, to a running service.

  multimodal-retrieval mcp --stdio [--url URL] [--token-file FILE] [--namespace NAME] [--scope SCOPE]

Messages are read from stdin and answers written to stdout, one JSON text per line. Problems are written to stderr.

${flagLines(
  ['--stdio', 'the transport; required'],
  url,
  tokenFile,
  namespace,
  ['--scope SCOPE', 'the scope of all requests. Tools can only narrow it'],
  envFile,
)}

  exit 0  stdin ended, and every message was answered
       2  not begun: wrong usage, no token`
