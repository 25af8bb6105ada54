import { Slices } from './slices.ts'

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
    for (const item of value) {
      size += valueSize + jsonSize(item, max - size)
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
