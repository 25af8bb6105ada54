import { planes } from '../../../model/unit.ts'
import { type PlaneIndex, tag } from './plane-index.ts'

/** Pinecone's limit of tags per index. */
const maxTags = 20

/** The index that lists the others; if two are marked, the first by name. */
export const registerOf = (indexes: readonly PlaneIndex[]): PlaneIndex | undefined =>
  indexes.filter((index) => tag.register in index.tags).sort((a, b) => (a.name < b.name ? -1 : 1))[0]

/** Other tags belong to someone else. */
const isEntry = (key: string) => planes.some((plane) => key.startsWith(`${plane}-`)) && /-\d{1,5}$/u.test(key)
const entryOf = ({ plane, dims }: PlaneIndex) => `${plane}-${dims}`

/** Entries that the register lacks: indexes made since. */
export function unregistered(register: PlaneIndex, indexes: readonly PlaneIndex[]): Record<string, string> {
  const room = Math.max(0, maxTags - Object.keys(register.tags).length)
  const missing = indexes.filter((index) => index.name !== register.name && !(entryOf(index) in register.tags))
  return Object.fromEntries(missing.slice(0, room).map((index) => [entryOf(index), index.tags[tag.made] ?? '']))
}

/**
 * An identity of all indexes together. It changes when one of them was deleted or made again: cursors are then invalid.
 * A new index for a new vector size does not change it.
 */
export function identityOf(register: PlaneIndex, indexes: readonly PlaneIndex[]): string {
  const made = new Map(indexes.map((index) => [entryOf(index), index.tags[tag.made] ?? '']))
  const changed = Object.entries(register.tags)
    .filter(([key, first]) => isEntry(key) && made.get(key) !== first)
    .map(([entry]) => `${entry}=${made.get(entry) ?? 'gone'}`)
  return ['pinecone', register.name, register.tags[tag.made], ...changed.sort()].join(':')
}
