import { findCharset } from '../../model/charset.ts'
import { parseLimits } from '../../model/parse-limits.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type ParsedUnit, ParseError } from '../../ports/parser.ts'
import { binaryContent, withoutEscapes } from './open-file.ts'

const maxMessage = 4_000
const maxExample = 1_000

/** A log as the templates of its lines. It is read as a stream: a log may be larger than the memory. */
export async function readLog(file: OpenFile): Promise<Structure> {
  const charset = await charsetOfStream(file)
  const drain = new Drain()
  let number = 0
  for await (const lines of readLines(file, charset)) {
    for (const line of lines) addLine(drain, line, ++number)
    if (drain.templates.length > parseLimits.units) {
      throw new ParseError('too_many_units', 'The log has more than 10,000 templates.')
    }
  }
  const units = drain.templates.map(unitOf)
  return { mime: 'text/plain', text: null, textIsFile: true, charset, blocks: [], units, attachments: [] }
}

function addLine(drain: Drain, line: string, number: number): void {
  const message = withoutEscapes(line.slice(0, maxMessage)).trimEnd()
  if (message.trim() === '') return
  const found = timeOf(message)
  const time = found?.time ?? null
  const template = drain.add(tokensOf(found?.rest ?? message), () => ({
    ...{ line: number, example: message.slice(0, maxExample).toWellFormed(), firstTime: time, lastTime: time },
  }))
  template.firstTime ??= time
  template.lastTime = time ?? template.lastTime
}

const unitOf = ({ tokens, count, line, example, firstTime, lastTime }: Template): ParsedUnit => ({
  modality: 'log_template',
  text: tokens.join(' ').toWellFormed(),
  title: null,
  locator: { kind: 'line_range', start: line, end: line },
  metadata: {
    count,
    example,
    ...(firstTime !== null && { first_time: firstTime }),
    ...(lastTime !== null && { last_time: lastTime }),
  },
})

const minLines = 10

/** Whether a file that could be any text is a log: most of its lines begin with a time. */
export function isLog({ extension, headText }: OpenFile): boolean {
  if (!/^(txt|text|out|err|\d{0,8})$/.test(extension)) return false
  const lines = (headText ?? '').split('\n').slice(0, 100)
  const timed = lines.filter((line) => timeOf(line.trimEnd()) !== null).length
  return lines.length >= minLines && timed >= lines.length * 0.8
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const iso = /^\W{0,2}(\d{4})[-/.](\d\d)[-/.](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?\W{0,2}/
const syslog = /^(?:<\d{1,3}>)?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d)/
const compact = /^(\d{6,8})[ -](\d{6})\b/
const clock = /^\W{0,2}(\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?\W{0,2}/
const apache = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\]/
const epoch = /^\W{0,1}(\d{10})(?:[.,]?\d{3,6})?\b/

/** When a line was written, as precisely as it says: ISO 8601 where it has a date. The rest has no time at its start. */
function timeOf(line: string): { time: string; rest: string } | null {
  const start = line.slice(0, 200)
  const date = iso.exec(start)
  if (date) {
    const [whole, y, mo, d, h, mi, s, fraction, zone = ''] = date
    const time = `${y}-${mo}-${d}T${h}:${mi}:${s}${fraction ? `.${fraction.slice(0, 3)}` : ''}${zone}`
    return { time, rest: line.slice(whole.length) }
  }
  const web = apache.exec(start)
  if (web) {
    const [whole, d, name = '', y, time, hours, minutes] = web
    const mo = String(months.indexOf(name) + 1).padStart(2, '0')
    return { time: `${y}-${mo}-${d}T${time}${hours}:${minutes}`, rest: line.replace(whole, '') }
  }
  const seconds = epoch.exec(start)
  if (seconds?.[1]) {
    return { time: new Date(Number(seconds[1]) * 1000).toISOString(), rest: line.slice(seconds[0].length) }
  }
  const other = syslog.exec(start) ?? compact.exec(start) ?? clock.exec(start)
  return other ? { time: other[0].replace(/^\W+|\W+$/g, ''), rest: line.slice(other[0].length) } : null
}

const maxTokens = 200

/** The words of a message. What has a digit varies: numbers, addresses, identifiers. */
function tokensOf(message: string): string[] {
  const tokens = message.trim().split(/\s+/, maxTokens)
  return tokens.map((token) => (/\d/.test(token) ? masked(token) : token))
}

/** `port=8080,` -> `port=<*>,`: what names the value stays. */
const masked = (token: string) => {
  const name = /^[A-Za-z_.-]{1,64}[=:]/.exec(token)?.[0] ?? ''
  const end = /[,;:)\]]$/.exec(token)?.[0] ?? ''
  return `${name}${wildcard}${end}`
}

const pieceBytes = 2 ** 20

/** What a line holds beyond this is left out. */
const maxLine = 64 * 1024

/** A text file's encoding, found without reading it at once. */
async function charsetOfStream(file: OpenFile): Promise<string> {
  const finder = findCharset()
  for (let at = 0; at < file.size; at += pieceBytes) finder.take(await file.read(at, pieceBytes))
  const charset = finder.charset()
  if (charset === null) throw binaryContent()
  return charset
}

/** The lines of a file of any size, without their breaks. */
async function* readLines(file: OpenFile, charset: string): AsyncGenerator<string[]> {
  const decoder = new TextDecoder(charset)
  let rest = ''
  for (let at = 0; at < file.size; at += pieceBytes) {
    const text = rest + decoder.decode(await file.read(at, pieceBytes), { stream: true })
    const lines = text.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLine) rest = rest.slice(0, maxLine)
    yield lines
  }
  rest += decoder.decode()
  if (rest !== '') yield [rest]
}

/** Lines of one kind. `line` is the number of the first of them, 1-based. */
interface Template {
  tokens: string[]
  count: number
  line: number
  example: string
  firstTime: string | null
  lastTime: string | null
}

const wildcard = '<*>'

/** He et al., Drain, ICWS 2017: their depth of 4 and similarity of .4; a node has at most 100 children. */
const keyTokens = 2
const minSimilarity = 0.4
const maxChildren = 100

interface Node {
  children: Map<string, Node>
  templates: Template[]
}

const newNode = (): Node => ({ children: new Map(), templates: [] })

/** Finds templates in lines, as they come: by their number of tokens, their first tokens, then the most similar one. */
class Drain {
  readonly templates: Template[] = []
  readonly #root = newNode()

  /** The template of a line, with the line counted. `create` makes a new one. */
  add(tokens: readonly string[], create: () => Omit<Template, 'tokens' | 'count'>): Template {
    const leaf = this.#leafOf(tokens)
    const found = similarTo(leaf.templates, tokens)
    if (found) {
      found.count++
      tokens.forEach((token, i) => {
        if (found.tokens[i] !== token) found.tokens[i] = wildcard
      })
      return found
    }
    const made = { tokens: [...tokens], count: 1, ...create() }
    leaf.templates.push(made)
    this.templates.push(made)
    return made
  }

  #leafOf(tokens: readonly string[]): Node {
    let node = childOf(this.#root, String(tokens.length), Number.POSITIVE_INFINITY)
    for (const token of tokens.slice(0, keyTokens)) node = childOf(node, token, maxChildren)
    return node
  }
}

function childOf(node: Node, key: string, max: number): Node {
  const found = node.children.get(key)
  if (found) return found
  const own = node.children.size < max - 1 ? key : wildcard
  const child = node.children.get(own) ?? newNode()
  node.children.set(own, child)
  return child
}

function similarTo(templates: readonly Template[], tokens: readonly string[]): Template | null {
  let best: Template | null = null
  let highest = minSimilarity * tokens.length
  for (const template of templates) {
    let same = 0
    for (let i = 0; i < tokens.length; i++) if (template.tokens[i] === tokens[i]) same++
    if (same >= highest && (same > highest || best === null)) {
      best = template
      highest = same
    }
  }
  return best
}
