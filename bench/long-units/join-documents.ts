import type { Collection } from '../quality/collections.ts'

/** Words of a joined Unit: a target is drawn for each, and documents are added until it is reached. */
const targets = [400, 800, 1600, 3200]
/** The share of Units that are one document. */
const alone = 0.9
/** Units above this rank by their best passage. */
const longFrom = 300

export interface Joined extends Pick<Collection, 'name' | 'documents' | 'queries'> {
  /** Units of more words than `longFrom`. */
  long: ReadonlySet<string>
}

/**
 * Units of mixed length: documents in a row joined to longer ones. A query is answered by the Unit that holds an answer.
 * The same at each call.
 */
export function joinDocuments({ name, documents, queries }: Collection): Joined {
  const random = generator(7)
  const draw = () => (random() < alone ? 0 : (targets[Math.floor(random() * targets.length)] ?? 0))
  const unitOf = new Map<string, string>()
  const units: { id: string; texts: string[]; words: number; target: number }[] = []
  for (const { id, text } of documents) {
    const last = units.at(-1)
    const unit = last !== undefined && last.words < last.target ? last : { id, texts: [], words: 0, target: draw() }
    if (unit !== last) units.push(unit)
    unit.texts.push(text)
    unit.words += text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
    unitOf.set(id, unit.id)
  }
  return {
    name,
    documents: units.map(({ id, texts }) => ({ id, text: texts.join('\n\n') })),
    queries: queries.map(({ text, relevant }) => ({
      text,
      relevant: new Set([...relevant].map((id) => unitOf.get(id) ?? id)),
    })),
    long: new Set(units.flatMap(({ id, words }) => (words > longFrom ? [id] : []))),
  }
}

/** Mulberry32: numbers from 0 to 1. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
