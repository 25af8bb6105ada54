import { type ParseArgsConfig, parseArgs } from 'node:util'
import { OperatorError } from '../../model/operator-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Command {
  /** The prefix of each of its errors, if given. */
  name?: string
  /** Returns the exit code; `args` do not contain the flags that every command accepts. */
  run(args: readonly string[], env: Environment): Promise<number | undefined>
  /** The exit code for an error of `run`, except for wrong usage. */
  codeOf(error: unknown): number
}

/** A command of the program. */
export interface Entry {
  help: string
  /** Loads the command's modules: help needs none of them. */
  load(): Promise<{ command: Command }>
}

/** Commands by name, in the order of the help. */
export type Commands = Readonly<Record<string, Entry>>

/** The command line is wrong. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError'
}

/** The error for a word after a command that is missing, or not one of `names`. */
export function noSuchCommand(name: string | undefined, names: readonly string[]): UsageError {
  const choice = `${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)} is needed; try --help`
  return new UsageError(name === undefined ? choice : `${JSON.stringify(name)} is unknown: ${choice}`)
}

/** The kinds of flags: with a text, with a text each time, and without a value. */
export const text = { type: 'string' } as const
export const texts = { type: 'string', multiple: true } as const
export const flag = { type: 'boolean' } as const

type Flags = NonNullable<ParseArgsConfig['options']>
type Values<F extends Flags> = ReturnType<typeof parseArgs<{ options: F }>>['values']

/** Values of the flags, and the other arguments. Throws a `UsageError` that names what is wrong. */
export function readWords<F extends Flags>(args: readonly string[], options: F, more: ParseArgsConfig = {}) {
  const parsed = attempt(() => parseArgs({ allowPositionals: true, ...more, args: [...args], options }))
  for (const [flag, value] of Object.entries(parsed.values)) {
    if (value === '') throw new UsageError(`--${flag} needs a value; try --help`)
  }
  return { values: parsed.values as Values<F>, positionals: parsed.positionals }
}

/** The same of a command that takes no other arguments. */
export const readFlags = <F extends Flags>(args: readonly string[], options: F, more: ParseArgsConfig = {}) =>
  readWords(args, options, { ...more, allowPositionals: false }).values

/** The only argument besides the flags. Throws a `UsageError` if there is none, or another one. */
export function onlyWord([word, ...others]: readonly string[], problem: string): string {
  if (word === undefined || others.length > 0) throw new UsageError(problem)
  return word
}

function attempt<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    // Only the part of Node's message that names the argument.
    const [problem = ''] = (error instanceof Error ? error.message : String(error)).split(/[.\n](?:\s|$)/)
    const [, flag] = /^Option '(?:-\w, )?(--[\w-]+)[^']*' argument (?:missing|is ambiguous)/.exec(problem) ?? []
    const said = flag === undefined ? problem.replace(/^./, (letter) => letter.toLowerCase()) : `${flag} needs a value`
    throw new UsageError(`${said}; try --help`)
  }
}

/** How someone calls a command: where this one was called by npm, by npm as well. */
export function callOf(command: string, env: Environment, words?: string): string {
  if (env.npm_lifecycle_event === undefined) return ['multimodal-retrieval', command, words ?? []].flat().join(' ')
  return `npm run -s ${command}${words === undefined ? '' : ` -- ${words}`}`
}

/** The message of anything thrown. Errors of `fetch` have it in their cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  // The system's message, such as "ENOENT: no such file or directory, open '/nowhere'", without what only programs read.
  const [, problem] = 'path' in cause ? (/^[A-Z]+: ([^,]+), \w+ '/.exec(cause.message) ?? []) : []
  if (problem !== undefined && 'path' in cause) return `${cause.path}: ${problem}`
  // The error of a refused connection has a code and no message.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
