import { version } from '../../version.ts'
import { type Command, type Commands, type Entry, UsageError } from './command.ts'
import { loadEnvFile } from './env-file.ts'
import { generalFlags } from './general-flags.ts'
import { overview } from './overview.ts'

const wrongUsage = 2
const versionLine = `multimodal-retrieval ${version}`

/** Runs the command that the process was started with. Without a command it serves. */
export async function runProgram(commands: Commands, args: readonly string[]): Promise<void> {
  const [first = ''] = args
  let command: Command | undefined
  try {
    if (['help', '--help', '-h'].includes(first)) console.log(helpOf(commands, args.slice(1)))
    else if (['--version', '-V'].includes(first)) console.log(versionLine)
    else {
      const isNamed = first !== '' && !first.startsWith('-')
      const entry = entryOf(commands, isNamed ? first : 'serve')
      const { flags, file, rest } = generalFlags(isNamed ? args.slice(1) : args)
      // Help and version are printed before anything else is read.
      if (flags.has('help')) console.log(entry.help)
      else if (flags.has('version')) console.log(versionLine)
      else {
        command = (await entry.load()).command
        loadEnvFile(file, process.env)
        process.exitCode = await command.run(rest, process.env)
      }
    }
  } catch (error) {
    console.error(`${command?.name === undefined ? '' : `${command.name}: `}${reasonOf(error)}`)
    process.exitCode = error instanceof UsageError ? wrongUsage : (command?.codeOf(error) ?? 1)
  }
}

function helpOf(commands: Commands, [name, ...others]: readonly string[]): string {
  if (others.length > 0) throw new UsageError(`help takes one command, not ${JSON.stringify(others[0])} as well`)
  return name === undefined ? overview(commands) : entryOf(commands, name).help
}

function entryOf(commands: Commands, name: string): Entry {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) throw new UsageError(`unknown command ${JSON.stringify(name)}; try --help`)
  return entry
}

/** The error of a refused connection has a code and no message. */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return error.message || ('code' in error ? String(error.code) : error.name)
}
