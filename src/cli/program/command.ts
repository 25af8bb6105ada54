import { type ParseArgsConfig, parseArgs } from 'node:util'
import { OperatorError } from '../../model/operator-error.ts'
import { version } from '../../version.ts'
import { loadEnvFile } from './env-file.ts'

export interface Command {
  /** The prefix of each of its errors, if given. */
  name?: string
  help: string
  /** Returns the exit code; `args` do not contain the flags that every command accepts. */
  run(args: readonly string[], env: Record<string, string | undefined>): Promise<number | undefined>
  /** The exit code for an error of `run`, except for wrong usage. */
  codeOf(error: unknown): number
}

/** The command line is wrong. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError'
}

const wrongUsage = 2

/** Runs the process's command. Help and version are printed before anything else is read. */
export async function runCommand({ name, help, run, codeOf }: Command): Promise<void> {
  try {
    const { flags, file, rest } = general(process.argv.slice(2))
    if (flags.has('help')) return console.log(help)
    if (flags.has('version')) return console.log(`multimodal-retrieval ${version}`)
    loadEnvFile(file, process.env)
    process.exitCode = await run(rest, process.env)
  } catch (error) {
    console.error(name === undefined ? reasonOf(error) : `${name}: ${reasonOf(error)}`)
    process.exitCode = error instanceof UsageError ? wrongUsage : codeOf(error)
  }
}

/** Values of the flags, and the other arguments. Throws a `UsageError` that names what is wrong. */
export function readFlags<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  const parsed = attempt(() => parseArgs(config))
  for (const [flag, value] of Object.entries(parsed.values)) {
    if (value === '') throw new UsageError(`--${flag} needs a value; try --help`)
  }
  return parsed
}

function attempt<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    // Only the part of Node's message that names the argument.
    const [problem = ''] = (error instanceof Error ? error.message : String(error)).split(/[.\n](?:\s|$)/)
    throw new UsageError(`${problem.replace(/^./, (letter) => letter.toLowerCase())}; try --help`)
  }
}

/** Removes the flags that every command accepts. Arguments after `--` do not change. */
function general(args: readonly string[]) {
  const end = args.indexOf('--')
  const flags = new Set<'help' | 'version'>()
  let file: string | undefined
  const rest: string[] = []
  const own = end < 0 ? args : args.slice(0, end)
  for (let i = 0; i < own.length; i += 1) {
    const arg = own[i] ?? ''
    if (arg === '--help' || arg === '-h' || (arg === 'help' && i === 0)) flags.add('help')
    else if (arg === '--version' || arg === '-V') flags.add('version')
    else if (arg.startsWith('--env-file=')) file = arg.slice('--env-file='.length)
    else if (arg === '--env-file') {
      i += 1
      file = own[i]
      if (file === undefined) throw new UsageError('--env-file needs a FILE; try --help')
    } else rest.push(arg)
  }
  return { flags, file, rest: [...rest, ...args.slice(own.length)] }
}

/** The error of a refused connection has a code and no message. */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}
