import { chmod, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { OperatorError } from '../../model/operator-error.ts'
import { type Command, type Environment, flag, noSuchCommand, readWords, text, UsageError } from '../program/command.ts'
import { readAddress } from '../program/service.ts'
import { agents, type Entry, type Format, placesOf } from './agents.ts'

async function main(args: readonly string[], env: Environment): Promise<number> {
  const flags = { project: flag, consent: flag, print: flag, remove: flag, yes: flag }
  const { values, positionals } = readWords(args, { url: text, scope: text, name: text, ...flags })
  const [word, ...others] = positionals
  const agent = word !== undefined && Object.hasOwn(agents, word) ? agents[word] : undefined
  if (!agent || others.length > 0) throw noSuchCommand(others[0] ?? word, Object.keys(agents))
  const { name = 'retrieval', remove = false, print = false } = values
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) throw new UsageError('--name takes letters, digits, - and _; try --help')
  const entry = remove ? null : entryOf(values, env)
  const file = agent.fileOf(placesOf(env), values.project === true)
  if (print) {
    console.log(`${file}:\n\n${changed('', agent.format, { name, entry }).trimEnd()}`)
    return 0
  }
  const before = await readText(file)
  const after = await attempt(file, () => changed(before, agent.format, { name, entry }))
  if (after === before) {
    console.log(`${file} stays as it is: ${remove ? `it has no ${name}` : `${name} is there already`}.`)
    return 0
  }
  console.log(`${file}${before === '' ? ' (new)' : ''}:\n\n${difference(before, after)}\n`)
  if (values.yes !== true && !(await isWanted())) return 1
  await write(file, after)
  console.log(entry ? `Written. ${agent.next(entry)}` : `Written. Restart ${agent.title}.`)
  return 0
}

function entryOf(
  { url, scope, consent }: { url?: string; scope?: string; consent?: boolean },
  env: Environment,
): Entry {
  const address = new URL('/mcp', readAddress(url, env))
  if (scope !== undefined) address.searchParams.set('scope', scope)
  return { url: address.href, token: consent === true ? null : 'SVC_TOKEN' }
}

async function isWanted(): Promise<boolean> {
  if (process.stdin.isTTY !== true) throw new UsageError('no terminal to ask on: --yes writes without asking')
  const asking = createInterface({ input: process.stdin, output: process.stdout })
  const said = await asking.question('Write this? [y/N] ')
  asking.close()
  return /^y(es)?$/i.test(said.trim())
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

async function attempt(file: string, change: () => string): Promise<string> {
  try {
    return change()
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(`${file} ${error.message}`) : error
  }
}

/** In one step: an agent never reads half of it. A link stays a link, and the file keeps its mode. */
async function write(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const target = await realpath(file).catch(() => file)
  const mode = await stat(target).then(
    (found) => found.mode,
    () => null,
  )
  const part = `${target}.${process.pid}.part`
  await writeFile(part, content)
  if (mode !== null) await chmod(part, mode)
  await rename(part, target)
}

export const command: Command = { name: 'connect', run: main, codeOf: () => 2 }

interface Wanted {
  name: string
  /** Null to take it out. */
  entry: Entry | null
}

/** The text of a configuration with the entry, or without it. Everything else in it stays. Throws where that cannot be kept. */
function changed(text: string, format: Format, wanted: Wanted): string {
  return format.kind === 'json' ? changedJson(text, format, wanted) : changedToml(text, format, wanted)
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

function changedJson(text: string, format: Extract<Format, { kind: 'json' }>, { name, entry }: Wanted): string {
  const whole = readJson(text)
  const servers = whole[format.servers] ?? {}
  if (!isObject(servers)) throw unreadable(`${format.servers} is not an object`)
  const { [name]: _, ...others } = servers
  const own = entry && format.entryOf(entry, name)
  const kept = own ? { ...servers, [name]: own } : others
  const inputs = inputsWith(whole.inputs, format, { name, entry })
  const result = { ...whole, ...(inputs && { inputs }), [format.servers]: kept }
  if (inputs?.length === 0) delete result.inputs
  const isSame = JSON.stringify(result) === JSON.stringify(whole) || (!own && !Object.hasOwn(servers, name))
  if (isSame) return text
  return `${JSON.stringify(result, null, indentOf(text))}\n`
}

/** Undefined where the agent asks nothing. Those of others stay. */
function inputsWith(
  given: unknown,
  { inputsOf }: Extract<Format, { kind: 'json' }>,
  { name, entry }: Wanted,
): unknown[] | undefined {
  if (!inputsOf) return undefined
  if (given !== undefined && !Array.isArray(given)) throw unreadable('inputs is not a list')
  const own = inputsOf(name)
  const isOwn = (input: unknown) => isObject(input) && own.some(({ id }) => id === input.id)
  const others = (given ?? []).filter((input: unknown) => !isOwn(input))
  return [...others, ...(entry?.token ? own : [])]
}

function readJson(text: string): Json {
  if (text.trim() === '') return {}
  try {
    const whole: unknown = JSON.parse(text)
    if (isObject(whole)) return whole
  } catch {
    throw unreadable('it is not plain JSON, perhaps because of comments')
  }
  throw unreadable('it is not an object')
}

const indentOf = (text: string): string => /^\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  '

const unreadable = (why: string) =>
  new OperatorError(`cannot be changed without loss: ${why}. --print shows what to enter`)

/** Tables are found by their headings. A key that leads to the same table in another way is left to its owner. */
function changedToml(
  text: string,
  { table, linesOf }: Extract<Format, { kind: 'toml' }>,
  { name, entry }: Wanted,
): string {
  const lines = text.split('\n')
  if (/"""|'''/.test(text)) throw unreadable('it has texts of several lines')
  if (lines.some((line) => line.trimStart().startsWith(`${table}.`) || new RegExp(`^\\s*${table}\\s*=`).test(line)))
    throw unreadable(`${table} is not written as a table with a heading`)
  const heading = /^\s*\[{1,2}([^[\]]+)\]{1,2}\s*(#.*)?$/
  const isOwn = (title: string) => new RegExp(`^\\s*${table}\\s*\\.\\s*"?${name}"?\\s*(\\.|$)`).test(title)
  const kept: string[] = []
  let [at, within] = [-1, false]
  for (const line of lines) {
    const title = heading.exec(line)?.[1]
    if (title !== undefined) within = isOwn(title)
    // Comments may be about what follows.
    if (within && !/^\s*(#|$)/.test(line)) at = at < 0 ? kept.length : at
    else kept.push(line)
  }
  const own = entry ? [`[${table}.${name}]`, ...linesOf(entry)] : []
  if (at >= 0 && own.length === 0 && kept[at - 1] === '') kept.splice(at - 1, 1)
  else if (at >= 0) kept.splice(at, 0, ...own)
  if (at >= 0 || own.length === 0) return kept.join('\n')
  const rest = kept.join('\n').trimEnd()
  return [...(rest === '' ? [] : [rest, '']), ...own, ''].join('\n')
}

/** The lines that differ, with - and + before them and two around. */
function difference(before: string, after: string): string {
  const [old, now] = [before, after].map((text) => (text === '' ? [] : text.replace(/\n$/, '').split('\n')))
  if (!old || !now) return ''
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  const marked = (mark: string, lines: readonly string[]) => lines.map((line) => `${mark} ${line}`.trimEnd())
  return [
    ...marked(' ', old.slice(Math.max(0, start - 2), start)),
    ...marked('-', old.slice(start, old.length - end)),
    ...marked('+', now.slice(start, now.length - end)),
    ...marked(' ', old.slice(old.length - end, old.length - end + 2)),
  ].join('\n')
}
