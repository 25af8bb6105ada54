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

/** The lists that a later call can go on with, and the argument that says where. They keep one item, so that each call gets further. */
const continued: Readonly<Record<string, string>> = { results: 'offset', headings: 'cursor', scopes: 'cursor' }

/** Whatever is JSON. */
type Node = Record<string, unknown>

const sizeOf = (value: unknown): number => tokensOf(JSON.stringify(value))
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** What is kept for a text while lists lose items, in UTF-16 units: fewer results with a sentence are worth more. */
const minText = 200
/** As long as any that there will be. */
const longestOffset = 2 ** 20
const longestNote = 'x'.repeat(300)

/**
 * A result of at most `max` tokens, as this service estimates them. Texts are cut, the longest most, each after a
 * sentence; lists lose their last items. `cut` says what is missing and how to get it. `args` are those of the call.
 */
export function withinBudget(result: Node, max: number, args: Node): Node {
  if (sizeOf(result) <= max) return result
  const copy: Node = { ...structuredClone(result), cut: longestNote }
  const given = new Map(textsIn(copy).map((holder) => [holder, `${holder.text}`]))
  for (const [holder, text] of given) setText(holder, beginningOf(text, minText), longestOffset)
  const missing = shorten(copy, max)
  const texts = textsIn(copy).map((holder) => ({ holder, text: given.get(holder) ?? '' }))
  for (const { holder } of texts) setText(holder, '', longestOffset)
  missing.push(...shortenValues(copy, max))
  const room = Math.max(0, max - sizeOf(copy))
  const steps = Array.from({ length: 20 }, (_, i) => (i < 19 ? room * 0.85 ** i : 0))
  for (const step of steps) {
    const cap = capOf(
      texts.map(({ text }) => sizeOf(text)),
      step,
    )
    for (const { holder, text } of texts) cutText(holder, text, cap)
    const areCut = texts.some(({ holder, text }) => holder.text !== text)
    copy.cut = noteOf(areCut, [...missing, ...goOn(result, copy, args)])
    if (sizeOf(copy) <= max) break
  }
  return copy
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

function cutText(holder: Node, text: string, cap: number): void {
  const size = sizeOf(text)
  const kept = size <= cap ? text : beginningOf(text, Math.floor((text.length * cap) / size))
  const start = typeof holder.offset === 'number' ? holder.offset : 0
  setText(holder, kept, kept.length < text.length ? start + kept.length : null)
}

/** `next` is where the rest begins, of what has an id to read on with. */
function setText(holder: Node, text: string, next: number | null): void {
  holder.text = text
  if (next !== null && 'id' in holder) holder.next_offset = next
  else delete holder.next_offset
}

interface List {
  holder: Node
  name: string
  items: readonly unknown[]
}

const minItems = (result: Node, { holder, name }: List) => (holder === result && name in continued ? 1 : 0)

/** Lists lose items, the largest list first, then metadata go, until the rest has this size. Says what went. */
function shorten(result: Node, max: number): string[] {
  const dropped = new Map<string, number>()
  const drop = (name: string, count: number) => dropped.set(name, (dropped.get(name) ?? 0) + count)
  for (let over = sizeOf(result) - max; over > 0; over = sizeOf(result) - max) {
    const lists = listsIn(result).filter((list) => list.items.length > minItems(result, list))
    const [largest] = lists.sort((a, b) => sizeOf(b.items) - sizeOf(a.items))
    if (!largest) break
    const { holder, name, items } = largest
    const min = minItems(result, largest)
    // Before a Unit, the last ones are the nearest.
    const farthest = name === 'before' ? items : items.toReversed()
    let [count, freed] = [0, 0]
    for (const item of farthest.slice(min)) {
      if (freed >= over) break
      freed += sizeOf(item)
      count += 1
    }
    holder[name] = name === 'before' ? items.slice(count) : items.slice(0, items.length - count)
    drop(holder !== result && name in continued ? `grouped ${name}` : name, count)
  }
  if (sizeOf(result) > max)
    for (const holder of withMetadata(result)) {
      holder.metadata = {}
      drop('metadata', 1)
    }
  return [...dropped].filter(([name]) => !(name in continued)).map(([name, count]) => `${count} of ${name} left out`)
}

function listsIn(value: unknown): List[] {
  if (Array.isArray(value)) return value.flatMap(listsIn)
  if (!isNode(value)) return []
  return Object.entries(value).flatMap(([name, one]) => {
    if (name === 'metadata') return []
    const own = Array.isArray(one) ? [{ holder: value, name, items: one }] : []
    return [...own, ...listsIn(one)]
  })
}

function withMetadata(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(withMetadata)
  if (!isNode(value)) return []
  const { metadata, ...fields } = value
  return [...(isNode(metadata) ? [value] : []), ...Object.values(fields).flatMap(withMetadata)]
}

/** The last resort: long names and values. Texts have been cut before. */
function shortenValues(result: Node, max: number): string[] {
  const notes = new Set<string>()
  const shorten = (value: Node, length: number): void => {
    for (const [key, one] of Object.entries(value)) {
      if (isNode(one)) shorten(one, length)
      else if (typeof one === 'string' && one.length > length && !whole.has(key)) {
        value[key] = `${beginningOf(one, length)}…`
        notes.add('long values end in …')
      }
    }
  }
  for (const length of [400, 100, 40]) if (sizeOf(result) > max) shorten(result, length)
  return [...notes]
}

const whole = new Set(['id', 'unit_id', 'url', 'text', 'cut', 'notice', 'sha256'])

/** How to get the items that lists of the result have lost. */
function goOn(result: Node, copy: Node, args: Node): string[] {
  return Object.entries(continued).flatMap(([name, argument]) => {
    const [before, after] = [result[name], copy[name]]
    if (!Array.isArray(before) || !Array.isArray(after) || after.length === before.length) return []
    const lost = `${before.length - after.length} of ${name} left out`
    if (!(argument in args)) return [lost]
    const next = Number(args[argument]) + after.length
    if ('next_cursor' in copy) copy.next_cursor = next
    if ('more' in copy) copy.more = true
    return [`${lost}: go on with ${argument} = ${next}`]
  })
}

function noteOf(hasCutTexts: boolean, missing: readonly string[]): string {
  const texts = hasCutTexts ? ['texts end early: fetch the id with offset = next_offset for the rest'] : []
  return [...texts, ...missing, 'or call again with a larger max_tokens'].join('; ')
}
