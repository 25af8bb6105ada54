import type { Commands } from './command.ts'

/** The help of the whole program: a line per command. */
export function overview(commands: Commands): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  const lines = Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(width)}  ${summary(help)}`)
  return `A multi-tenant, multimodal retrieval service: its server and its commands.

  multimodal-retrieval COMMAND [flags]

${lines.join('\n')}

Without a command it serves. In a checkout: npm start, and npm run -s COMMAND -- [flags].

  -h, --help       print this help; "help COMMAND" or COMMAND --help prints that of a command
  -V, --version    print the version
  --env-file FILE  of each command: the settings file. Default: .env in the working directory, if it exists

  exit 0  done
       1  a negative result: refused, broken, damaged, below a minimum, cannot start
       2  not done: wrong usage, wrong settings, a file or the service out of reach`
}

/** The first sentence of a command's help, on one line. */
const summary = (help: string): string => help.slice(0, help.search(/\.\s|\.$/)).replaceAll('\n', ' ')
