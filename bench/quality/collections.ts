import { existsSync, readFileSync } from 'node:fs'

/** A public test collection: documents, queries, and which documents answer which query (binary relevance). */
export interface Collection {
  name: string
  plane: 'text' | 'visual' | 'audio' | 'doc_visual'
  modality: string
  documents: { id: string; text: string }[]
  queries: { id: string; text: string; relevant: ReadonlySet<string> }[]
}

/** Which plane each collection stands for. */
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

const maxQueries = 500
const root = new URL('../../../shared/data/ir/', import.meta.url)

/** Null where the collections are not beside the project. */
export function readCollection(name: CollectionName): Collection | null {
  const folder = new URL(`${name}/`, root)
  if (!existsSync(folder)) return null
  const lines = (file: string) => readFileSync(new URL(file, folder), 'utf8').trim().split('\n')
  const [plane, modality] = standsFor[name]
  const relevant = new Map<string, Set<string>>()
  for (const line of lines('qrels.tsv').slice(1)) {
    const [query = '', document = '', score] = line.split('\t')
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document))
  }
  const queries = lines('queries.jsonl').map((line) => JSON.parse(line))
  return {
    name,
    plane,
    modality,
    documents: lines('corpus.jsonl').map((line) => toDocument(JSON.parse(line))),
    queries: queries
      .flatMap(({ id, text }) =>
        relevant.has(id) ? [{ id, text, relevant: relevant.get(id) ?? new Set<string>() }] : [],
      )
      .slice(0, maxQueries),
  }
}

/** Title and body; a body that repeats the title counts it once. */
function toDocument({ id, title = '', text = '' }: { id: string; title?: string; text?: string }) {
  return { id, text: text.startsWith(title) ? text : `${title}\n${text}` }
}
