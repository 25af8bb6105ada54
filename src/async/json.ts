import { Slices } from '../async/pieces.ts'

/** Characters written in one step, approximately. */
const pieceSize = 65_536
/** The cost of a value in addition to its text. */
const valueSize = 16

/** Whether writing the value as JSON would block the event loop. */
export const isLongJson = (value: unknown): boolean => jsonSize(value, 4 * pieceSize) > 4 * pieceSize

/** Like `JSON.stringify` of plain data, in pieces and slices. */
export async function* stringifyInSlices(value: unknown): AsyncGenerator<string> {
  const slices = new Slices()
  let gathered = ''
  for (const piece of pieces(value)) {
    gathered += piece
    if (gathered.length < pieceSize) continue
    yield gathered
    gathered = ''
    if (slices.isOver) await slices.next()
  }
  if (gathered !== '') yield gathered
}

function* pieces(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || jsonSize(value, pieceSize) <= pieceSize) {
    yield JSON.stringify(value) ?? 'null'
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      yield i === 0 ? '[' : ','
      yield* pieces(item)
    }
    yield ']'
  } else {
    let opening = '{'
    for (const [key, field] of Object.entries(value)) {
      if (field === undefined) continue
      yield `${opening}${JSON.stringify(key)}:`
      yield* pieces(field)
      opening = ','
    }
    yield '}'
  }
}

/** The approximate length of the value's JSON; counting stops when it exceeds `most`. */
export function jsonSize(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return valueSize
  if (ArrayBuffer.isView(value)) return value.byteLength
  let size = valueSize
  if (Array.isArray(value)) {
    // Without an iterator, which would be an object for each item.
    for (let i = 0; i < value.length; i++) {
      size += valueSize + jsonSize(value[i], max - size)
      if (size > max) return size
    }
    return size
  }
  // A list of the values would cost as much as counting them.
  for (const key in value) {
    size += valueSize + jsonSize((value as Record<string, unknown>)[key], max - size)
    if (size > max) return size
  }
  return size
}

/** Splits a list into runs with a total size of about `size` at most, or of one item. */
export function runsOf<T>(items: readonly T[], size: number): T[][] {
  const runs: T[][] = []
  let room = 0
  for (const item of items) {
    const itemSize = jsonSize(item, size)
    if (itemSize > room) {
      runs.push([])
      room = size
    }
    runs.at(-1)?.push(item)
    room -= itemSize
  }
  return runs
}

// Finds where values of a JSON text end. It does not check the values: JSON.parse does.

const code = { blank: [0x20, 0x09, 0x0a, 0x0d], quote: 0x22, backslash: 0x5c, comma: 0x2c, colon: 0x3a }

type Kind = 'list' | 'object'

const brackets = { list: ['[', ']'], object: ['{', '}'] } as const

const opening = (kind: Kind): string => brackets[kind][0]
const closing = (kind: Kind): string => brackets[kind][1]

function kindAt(bytes: Uint8Array, at: number): Kind | null {
  return bytes[at] === 0x5b ? 'list' : bytes[at] === 0x7b ? 'object' : null
}

const isComma = (byte: number | undefined) => byte === code.comma
const isClosing = (byte: number | undefined, kind: Kind) => byte === closing(kind).charCodeAt(0)

function skipBlanks(bytes: Uint8Array, at: number): number {
  let i = at
  while (i < bytes.length && code.blank.includes(bytes[i] ?? 0)) i++
  return i
}

/** The end of a member, or -1 if it is after `limit`. */
function endOfMember(bytes: Uint8Array, at: number, kind: Kind, limit: number): number {
  const value = kind === 'list' ? at : valueOfField(bytes, at).value
  return value > limit ? -1 : endOfValue(bytes, value, limit)
}

/** Where a field's key ends, and where its value begins. */
function valueOfField(bytes: Uint8Array, at: number): { keyEnd: number; value: number } {
  if (bytes[at] !== code.quote) throw new SyntaxError('a field name is missing')
  const keyEnd = endOfString(bytes, at)
  const colon = skipBlanks(bytes, keyEnd)
  if (bytes[colon] !== code.colon) throw new SyntaxError('a colon is missing')
  return { keyEnd, value: skipBlanks(bytes, colon + 1) }
}

function endOfValue(bytes: Uint8Array, at: number, limit: number): number {
  if (kindAt(bytes, at) !== null) return endOfContainer(bytes, at, limit)
  const end = bytes[at] === code.quote ? endOfString(bytes, at) : endOfLiteral(bytes, at)
  return end > limit ? -1 : end
}

function endOfContainer(bytes: Uint8Array, at: number, limit: number): number {
  let depth = 0
  for (let i = at; i < limit && i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === code.quote) i = endOfString(bytes, i) - 1
    else if (byte === 0x5b || byte === 0x7b) depth++
    else if (byte === 0x5d || byte === 0x7d) {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return -1
}

function endOfString(bytes: Uint8Array, at: number): number {
  for (let end = bytes.indexOf(code.quote, at + 1); end >= 0; end = bytes.indexOf(code.quote, end + 1)) {
    let slashes = 0
    while (bytes[end - 1 - slashes] === code.backslash) slashes++
    if (slashes % 2 === 0) return end + 1
  }
  throw new SyntaxError('a string has no end')
}

function endOfLiteral(bytes: Uint8Array, at: number): number {
  let end = at
  while (end < bytes.length && !isEnd(bytes[end] ?? 0)) end++
  if (end === at) throw new SyntaxError('a value is missing')
  return end
}

const isEnd = (byte: number) => byte === code.comma || byte === 0x5d || byte === 0x7d || code.blank.includes(byte)

type Path = readonly (string | number)[]

/** Checks each piece of a value when it is parsed, with its path; a piece may contain many values. */
type Check = (value: unknown, path: Path) => void

/** No list or object of the API has more members: longer ones are refused before the rest is read. */
const maxMembers = 10_000
/** Deeper JSON has no use here and could exhaust the stack of later recursive code. */
export const maxJsonDepth = 32
export const tooDeep = `must be nested at most ${maxJsonDepth} levels deep`

/** A value has too many members, or is nested too deeply. */
export class JsonTooLargeError extends Error {
  /** Where it is. */
  readonly path: Path

  constructor(path: Path, message: string) {
    super(message)
    this.name = 'JsonTooLargeError'
    this.path = path
  }
}

/** Bytes parsed in one step. */
const pieceBytes = 32_768

/**
 * Like `JSON.parse` of a UTF-8 text, in slices. Short members are parsed together; a long member is parsed member by
 * member. Throws a SyntaxError for invalid JSON, a TypeError for invalid UTF-8, JsonTooLargeError.
 */
export async function parseJsonInSlices(bytes: Uint8Array, check: Check = () => {}): Promise<unknown> {
  const start = skipBlanks(bytes, hasByteOrderMark(bytes) ? 3 : 0)
  const kind = kindAt(bytes, start)
  if (kind === null || bytes.length - start <= pieceBytes) {
    const value: unknown = JSON.parse(utf8.decode(bytes.subarray(start)))
    check(value, [])
    return value
  }
  const slices = new Slices()
  const root = new Container(kind, [])
  const open = [root]
  let at = skipBlanks(bytes, start + 1)
  for (let container = open.at(-1); container !== undefined; container = open.at(-1)) {
    const step = readPiece(bytes, at, container, check)
    at = skipBlanks(bytes, step.at)
    if (step.child !== null) open.push(step.child)
    else if (step.closed) open.pop()
    if (open.length > maxJsonDepth) throw new JsonTooLargeError(container.path.slice(0, 4), tooDeep)
    if (slices.isOver) await slices.next()
  }
  if (at < bytes.length) throw new SyntaxError('text follows the value')
  return root.value
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const textOf = (bytes: Uint8Array, start: number, end: number) => utf8.decode(bytes.subarray(start, end))
const hasByteOrderMark = (bytes: Uint8Array) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** A list or an object that is read piece by piece. */
class Container {
  readonly kind: Kind
  readonly path: Path
  readonly value: unknown[] | Record<string, unknown>
  /** A member was read, so a comma or the end must follow. */
  isBetween = false
  #members = 0

  constructor(kind: Kind, path: Path) {
    this.kind = kind
    this.path = path
    this.value = kind === 'list' ? [] : {}
  }

  get isEmpty(): boolean {
    return this.#members === 0
  }

  placeOf(key: string | null): Path {
    return [...this.path, key ?? this.#members]
  }

  /** Adds members: the values of a list, or the fields of an object (`__proto__` is an ordinary field). */
  add(piece: object, check: Check): void {
    this.#check(piece, check)
    this.#members += Array.isArray(piece) ? piece.length : Object.keys(piece).length
    if (this.#members > maxMembers) {
      throw new JsonTooLargeError(
        this.path,
        `must be at most ${maxMembers} ${this.kind === 'list' ? 'items' : 'fields'}`,
      )
    }
    if (Array.isArray(this.value)) for (const value of Object.values(piece)) this.value.push(value)
    else Object.defineProperties(this.value, Object.getOwnPropertyDescriptors(piece))
  }

  #check(piece: object, check: Check): void {
    try {
      check(piece, this.path)
    } catch (error) {
      // Indexes in the error count from the start of the piece. Check again with the real ones.
      if (Array.isArray(piece))
        for (const [i, value] of piece.entries()) check(value, [...this.path, this.#members + i])
      throw error
    }
  }
}

interface Step {
  /** Where the next member begins. */
  at: number
  closed: boolean
  /** A long member, which is read member by member first. */
  child: Container | null
}

/** Reads the container from `at`, one piece at most. */
function readPiece(bytes: Uint8Array, at: number, container: Container, check: Check): Step {
  const { kind } = container
  if ((container.isBetween || container.isEmpty) && isClosing(bytes[at], kind))
    return { at: at + 1, closed: true, child: null }
  let from = at
  if (container.isBetween) {
    if (!isComma(bytes[at])) throw new SyntaxError('a comma is missing')
    from = skipBlanks(bytes, at + 1)
  }
  container.isBetween = true
  const end = endOfPiece(bytes, from, kind)
  if (end < 0) return readLong(bytes, from, container, check)
  container.add(JSON.parse(`${opening(kind)}${textOf(bytes, from, end)}${closing(kind)}`), check)
  return { at: end, closed: false, child: null }
}

/** The end of the last member that fits in a piece; -1 when the first one does not fit. */
function endOfPiece(bytes: Uint8Array, from: number, kind: Kind): number {
  let end = -1
  for (let at = from; ; ) {
    const next = endOfMember(bytes, at, kind, from + pieceBytes)
    if (next < 0) return end
    end = next
    const comma = skipBlanks(bytes, end)
    if (!isComma(bytes[comma])) return end
    at = skipBlanks(bytes, comma + 1)
  }
}

/** One member that is longer than a piece. */
function readLong(bytes: Uint8Array, from: number, container: Container, check: Check): Step {
  const { keyEnd, value } = container.kind === 'object' ? valueOfField(bytes, from) : { keyEnd: from, value: from }
  const key: string | null = container.kind === 'object' ? JSON.parse(textOf(bytes, from, keyEnd)) : null
  const kind = kindAt(bytes, value)
  const child = kind && new Container(kind, container.placeOf(key))
  const end = child ? value + 1 : endOfValue(bytes, value, Number.POSITIVE_INFINITY)
  const read: unknown = child ? child.value : JSON.parse(textOf(bytes, value, end))
  container.add(key === null ? [read] : Object.fromEntries([[key, read]]), check)
  return { at: end, closed: false, child }
}
