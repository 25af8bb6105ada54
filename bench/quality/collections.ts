import { existsSync, readFileSync } from 'node:fs'
import type { Plane } from '../../src/model/unit.ts'

/** A public test collection: documents, queries, and the relevant documents of each query (binary relevance). */
export interface Collection {
  name: string
  plane: Plane
  modality: string
  documents: { id: string; text: string }[]
  queries: Query[]
}

export interface Query {
  text: string
  relevant: ReadonlySet<string>
}

/** The plane that each collection represents. */
const standsFor = {
  cran: ['text', 'text'],
  cisi: ['text', 'text'],
  cacm: ['text', 'text'],
  flickr8k: ['visual', 'caption'],
  'spoken-squad': ['audio', 'asr'],
  sroie: ['doc_visual', 'ocr'],
} as const

export type CollectionName = keyof typeof standsFor
export const collectionNames = Object.keys(standsFor) as CollectionName[]

/** Only spoken-squad has many more judged queries than an estimate needs. */
const enough: Partial<Record<CollectionName, number>> = { 'spoken-squad': 500 }

const root = new URL('../../../shared/data/ir/', import.meta.url)

/** A collection with its judged queries; without `all`, only a sample. Null if it is not next to the project. */
export function readCollection(name: CollectionName, all: boolean): Collection | null {
  const folder = new URL(`${name}/`, root)
  if (!existsSync(folder)) return null
  const lines = (file: string) => readFileSync(new URL(file, folder), 'utf8').trim().split('\n')
  const relevant = new Map<string, Set<string>>()
  for (const line of lines('qrels.tsv').slice(1)) {
    const [query = '', document = '', score] = line.split('\t')
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document))
  }
  const judged = lines('queries.jsonl').flatMap((line) => {
    const { id, text } = JSON.parse(line)
    const answers = relevant.get(id)
    return answers ? [{ text, relevant: answers }] : []
  })
  const [plane, modality] = standsFor[name]
  return {
    name,
    plane,
    modality,
    documents: lines('corpus.jsonl').map((line) => toDocument(JSON.parse(line))),
    queries: all ? judged : everyNth(judged, enough[name] ?? judged.length),
  }
}

function toDocument({ id, title, text }: { id: string; title: string; text: string }) {
  return { id, text: joinTitle(title, text) }
}

/** At most N items, evenly spaced, because neighbours are about the same document. */
export function everyNth<T>(items: readonly T[], wanted: number): T[] {
  const step = Math.max(1, Math.floor(items.length / wanted))
  return items.filter((_, i) => i % step === 0).slice(0, wanted)
}

/** Title and body as two paragraphs; a title at the start of the body is not repeated. */
export function joinTitle(title: string, body: string): string {
  const rest = body.slice(title.length)
  const repeats = body.startsWith(title) && !/^[\p{L}\p{N}]/u.test(rest)
  return [title, repeats ? rest : body]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')
}
