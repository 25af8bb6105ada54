import { z } from 'zod'
import { beginningOf } from '../../model/beginning.ts'
import { tokensOf } from '../rest/surface.ts'

const problem = 'must be between 500 and 100,000'

/** Arguments of every tool. */
export const budgetArguments = {
  max_tokens: z
    .int(problem)
    .min(500, problem)
    .max(100_000, problem)
    .default(4_000)
    .describe(
      'The result takes at most about this many tokens: texts are cut after a sentence, and `cut` says how to go on.',
    ),
}

/** Whatever is JSON. */
type Node = Record<string, unknown>

const sizeOf = (value: unknown): number => tokensOf(JSON.stringify(value))
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** What `cut` and the offsets of texts take. */
const reserved = 120
const perText = 12

/**
 * A result of at most `max` tokens, as this service estimates them. Texts are cut first, the longest most, each after a
 * sentence; then lists lose their last items. `cut` says what is missing and how to get it.
 */
export function fit(result: Node, max: number): Node {
  if (sizeOf(result) <= max) return result
  const copy = structuredClone(result)
  const texts = textsIn(copy).map((holder) => ({ holder, whole: holder.text as string }))
  for (const { holder } of texts) holder.text = ''
  const dropped = shorten(copy, max - reserved - perText * texts.length)
  const kept = new Set(textsIn(copy))
  const own = texts.filter(({ holder }) => kept.has(holder))
  for (let room = max - reserved - sizeOf(copy); room > 0; room = Math.floor(room * 0.8) - 1) {
    const cap = capOf(
      own.map(({ whole }) => sizeOf(whole)),
      room,
    )
    for (const { holder, whole } of own) cutText(holder, whole, cap)
    copy.cut = noteOf(
      own.some(({ holder, whole }) => holder.text !== whole),
      dropped,
    )
    if (sizeOf(copy) <= max) return copy
  }
  for (const { holder } of own) Object.assign(holder, { text: '', next_offset: offsetOf(holder) })
  return { ...copy, cut: noteOf(own.length > 0, dropped) }
}

/** The objects that hold a text of a Unit or of an answer. */
function textsIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (!isNode(value)) return []
  const { metadata: _, ...fields } = value
  return [...(typeof value.text === 'string' ? [value] : []), ...Object.values(fields).flatMap(textsIn)]
}

/** The size to which texts of these sizes are cut so that they have the room together. */
function capOf(sizes: readonly number[], room: number): number {
  let left = room
  const sorted = sizes.toSorted((a, b) => a - b)
  for (const [i, size] of sorted.entries()) {
    const share = left / (sorted.length - i)
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

const offsetOf = (holder: Node): number => (typeof holder.offset === 'number' ? holder.offset : 0)

function cutText(holder: Node, whole: string, cap: number): void {
  const size = sizeOf(whole)
  holder.text = size <= cap ? whole : beginningOf(whole, Math.floor((whole.length * cap) / size))
  const length = (holder.text as string).length
  if (length < whole.length && 'id' in holder) holder.next_offset = offsetOf(holder) + length
  else delete holder.next_offset
}

/** Lists lose half of their items, the largest list first, until the rest has this size; then metadata go. */
function shorten(result: Node, max: number): ReadonlyMap<string, number> {
  const dropped = new Map<string, number>()
  while (sizeOf(result) > max) {
    const [largest] = listsIn(result).sort((a, b) => b.size - a.size)
    if (largest === undefined || largest.size < 20) break
    const { holder, name, items } = largest
    const rest = items.slice(0, name === 'results' ? Math.max(1, items.length - 1) : Math.floor(items.length / 2))
    if (rest.length === items.length) break
    dropped.set(name, (dropped.get(name) ?? 0) + items.length - rest.length)
    holder[name] = rest
  }
  if (sizeOf(result) > max)
    for (const holder of withMetadata(result)) {
      holder.metadata = {}
      dropped.set('metadata', (dropped.get('metadata') ?? 0) + 1)
    }
  return dropped
}

function listsIn(value: unknown): { holder: Node; name: string; items: unknown[]; size: number }[] {
  if (Array.isArray(value)) return value.flatMap(listsIn)
  if (!isNode(value)) return []
  return Object.entries(value).flatMap(([name, one]) => {
    if (name === 'metadata') return []
    if (!Array.isArray(one)) return listsIn(one)
    const within = listsIn(one)
    return one.length > (name === 'results' ? 1 : 0)
      ? [{ holder: value, name, items: one, size: sizeOf(one) }, ...within]
      : within
  })
}

function withMetadata(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(withMetadata)
  if (!isNode(value)) return []
  const { metadata, ...fields } = value
  return [...(isNode(metadata) ? [value] : []), ...Object.values(fields).flatMap(withMetadata)]
}

function noteOf(hasCutTexts: boolean, dropped: ReadonlyMap<string, number>): string {
  const lists = [...dropped].map(([name, count]) => `${count} of ${name} left out`)
  const texts = hasCutTexts ? ['texts end early: fetch the id with offset = next_offset for the rest'] : []
  return [...texts, ...lists, 'or call again with a larger max_tokens'].join('; ')
}
