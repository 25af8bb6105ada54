import { OperatorError } from '../../model/operator-error.ts'
import type { Entry, Format } from './agents.ts'

interface Wanted {
  name: string
  /** Null to take it out. */
  entry: Entry | null
}

/** The text of a configuration with the entry, or without it. Everything else in it stays. Throws where that cannot be kept. */
export function changed(text: string, format: Format, wanted: Wanted): string {
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
export function difference(before: string, after: string): string {
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
