import { planes } from '../../../model/unit.ts'
import { type PlaneIndex, tag } from './plane-index.ts'

/** The most that Pinecone tags to an index. */
const maxTags = 20

/** The one that knows the others; should two have been marked, the first by name. */
export const registerOf = (indexes: readonly PlaneIndex[]): PlaneIndex | undefined =>
  indexes.filter((index) => tag.register in index.tags).sort((a, b) => (a.name < b.name ? -1 : 1))[0]

/** What else is tagged is somebody else's. */
const isEntry = (key: string) => planes.some((plane) => key.startsWith(`${plane}-`)) && /-\d{1,5}$/u.test(key)
const entryOf = ({ plane, dims }: PlaneIndex) => `${plane}-${dims}`

/** Entries that the register lacks: what was made since. */
export function unregistered(register: PlaneIndex, indexes: readonly PlaneIndex[]): Record<string, string> {
  const room = Math.max(0, maxTags - Object.keys(register.tags).length)
  const missing = indexes.filter((index) => index.name !== register.name && !(entryOf(index) in register.tags))
  return Object.fromEntries(missing.slice(0, room).map((index) => [entryOf(index), index.tags[tag.made] ?? '']))
}

/**
 * Tells the indexes, all together, from what they were before one of them was deleted or made anew: then what cursors say
 * holds no more. One that is made for a new size of vectors changes nothing.
 */
export function identityOf(register: PlaneIndex, indexes: readonly PlaneIndex[]): string {
  const made = new Map(indexes.map((index) => [entryOf(index), index.tags[tag.made] ?? '']))
  const changed = Object.entries(register.tags)
    .filter(([key, first]) => isEntry(key) && made.get(key) !== first)
    .map(([entry]) => `${entry}=${made.get(entry) ?? 'gone'}`)
  return ['pinecone', register.name, register.tags[tag.made], ...changed.sort()].join(':')
}
