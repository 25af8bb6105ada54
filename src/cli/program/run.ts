import { readFileSync } from 'node:fs'
import { OperatorError } from '../../model/operator-error.ts'
import { version } from '../../version.ts'
import { type Command, type Commands, type Entry, reasonOf, UsageError } from './command.ts'
import { wrapped } from './help.ts'

const wrongUsage = 2
const versionLine = `multimodal-retrieval ${version}`

/** Runs the command that the process was started with. Without a command it serves. */
export async function runProgram(commands: Commands, args: readonly string[]): Promise<void> {
  const [first = ''] = args
  let command: Command | undefined
  try {
    if (['help', '--help', '-h'].includes(first)) printHelp(helpOf(commands, args.slice(1)))
    else if (['--version', '-V'].includes(first)) console.log(versionLine)
    else {
      const isNamed = first !== '' && !first.startsWith('-')
      const entry = entryOf(commands, isNamed ? first : 'serve')
      const { flags, file, rest } = generalFlags(isNamed ? args.slice(1) : args)
      // Help and version are printed before anything else is read.
      if (flags.has('help')) printHelp(entry.help)
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

const printHelp = (help: string): void =>
  console.log(process.stdout.isTTY ? fitted(help, process.stdout.columns) : help)

function helpOf(commands: Commands, [name, ...others]: readonly string[]): string {
  if (others.length > 0) throw new UsageError(`help takes one command, not ${JSON.stringify(others[0])} as well`)
  return name === undefined ? overview(commands) : entryOf(commands, name).help
}

function entryOf(commands: Commands, name: string): Entry {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) throw new UsageError(`unknown command ${JSON.stringify(name)}; try --help`)
  return entry
}

interface GeneralFlags {
  flags: ReadonlySet<'help' | 'version'>
  /** The value of `--env-file`. */
  file: string | undefined
  rest: string[]
}

/** Separates the flags that every command accepts. Arguments after `--` do not change. */
function generalFlags(args: readonly string[]): GeneralFlags {
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

/** The help of the whole program: a line per command. */
function overview(commands: Commands): string {
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

/** Adds the settings of `file`, by default of `.env` if it exists. Settings that are already set win. */
function loadEnvFile(file: string | undefined, env: NodeJS.ProcessEnv): void {
  const name = file ?? '.env'
  const text = readText(name)
  if (text === null && file !== undefined) throw new OperatorError(`--env-file: there is no file ${name}`)
  for (const [key, value] of parseEnvFile(text ?? '', name)) if (!(key in env)) env[key] = value
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return null
    throw new OperatorError(`cannot read ${file}: ${error instanceof Error ? error.message : error}`)
  }
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/
const quoted = /^(['"`])([\s\S]*?)\1\s*(?:#.*)?$/

/**
 * `NAME=value` lines, with comments after `#`. A value in quotes may contain anything, including line breaks. Throws
 * with the numbers of all invalid lines, and no part of their content.
 */
function parseEnvFile(text: string, name: string): Map<string, string> {
  const lines = text.split(/\r?\n/)
  const settings = new Map<string, string>()
  const problems: string[] = []
  for (let i = 0; i < lines.length; i += 1) {
    const [line = '', at] = [lines[i], i + 1]
    if (/^\s*(#|$)/.test(line)) continue
    const [, key, begun = ''] = assignment.exec(line) ?? []
    const last = /^['"`]/.test(begun) ? closingLine(lines, i, begun) : i
    const value = last === null ? null : readValue([begun, ...lines.slice(i + 1, last + 1)].join('\n'))
    if (key === undefined || value === null) problems.push(`${name}, line ${at}: is not a setting; write NAME=value`)
    else settings.set(key, value)
    i = last ?? i
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  return settings
}

/** The line where the quote at the start of a value ends; null when none does. */
function closingLine(lines: readonly string[], first: number, begun: string): number | null {
  let value = begun
  for (let i = first; i < lines.length; i += 1) {
    if (i > first) value += `\n${lines[i]}`
    if (quoted.test(value)) return i
  }
  return null
}

function readValue(text: string): string | null {
  if (!/^['"`]/.test(text)) return text.replace(/(^|\s)#.*$/, '').trimEnd()
  const [, mark, inner] = quoted.exec(text) ?? []
  if (inner === undefined) return null
  return mark === '"' ? inner.replaceAll('\\n', '\n') : inner
}

const isUsage = (line: string) => line.startsWith('  multimodal-retrieval ')

/** A help for a terminal of this width: what stands beside a flag continues below its beginning. */
function fitted(help: string, columns: number): string {
  const blocks: { text: string; hang: number }[] = []
  for (const line of help.split('\n')) {
    const [head = ''] = /^ *(?:\S+(?: \S+)* {2,})?/.exec(line) ?? []
    const last = blocks.at(-1)
    const isContinued = line !== '' && head.trim() === '' && !isUsage(line) && last?.hang === head.length
    if (isContinued && last.text !== '') last.text += ` ${line.trimStart()}`
    else blocks.push({ text: line, hang: head.length + (isUsage(line) ? 2 : 0) })
  }
  return blocks.flatMap(({ text, hang }) => wrapped(text, hang, columns)).join('\n')
}
