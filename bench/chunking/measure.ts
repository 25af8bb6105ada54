import { createEmbeddedIndex } from '../../src/adapters/index-embedded/embedded-index.ts'
import { mean, ndcg } from '../../src/domain/evaluation/score-query.ts'
import type { Span } from '../../src/ports/format.ts'
import type { IndexedUnit } from '../../src/ports/indexes/index-filter.ts'
import { benchDir } from '../support/leave-nothing.ts'
import type { Corpus } from './corpora.ts'
import type { Chunk } from './strategies.ts'

export interface Scores {
  recall: number
  precision: number
  iou: number
}

export interface Measured {
  chunks: number
  at5: Scores
  at10: Scores
  ndcg: number
}

const log = { info: () => {}, warn: () => {}, error: () => {} }

/** Searches chunks with the service's own text index, as a search without vectors does. */
export function openSearch() {
  const folder = benchDir('chunking')
  const index = createEmbeddedIndex({ directory: folder.path, threads: 1, memoryBytes: 2 ** 30, quietMs: 60_000, log })
  let namespaces = 0

  return {
    /** The mean over a corpus's questions, in characters. */
    measure: async ({ text, questions }: Corpus, chunks: readonly Chunk[]): Promise<Measured> => {
      const namespaceId = `ns${namespaces++}`
      const acl = { owner: 'bench', groups: ['*'] }
      const units = chunks.map(
        ({ start, end, title }, i): IndexedUnit => ({
          ...{
            unitId: String(i),
            seq: i + 1,
            plane: 'text',
            scopeId: 'all',
            acl,
            modality: 'chunk',
            title,
            language: null,
          },
          ...{ text: text.slice(start, end), vector: null, docId: null, externalId: null, sourceUri: null },
          ...{ mime: null, locator: null, metadata: {}, createdAt: 0, updatedAt: 0 },
        }),
      )
      await index.texts.feed.apply(
        namespaceId,
        units.map((unit) => ({ kind: 'put' as const, unit })),
        units.length,
      )
      const clauses = [{ reader: 'unlimited' as const, scopeIds: new Map([['text' as const, ['all']]]) }]
      const filter = { namespaceId, clauses, filters: [] }
      const results: { at5: Scores; at10: Scores; ndcg: number }[] = []
      for (const { question, references } of questions) {
        const found = await index.texts.search({ text: question, topK: 10 }, filter, 10)
        const ids = found.map(({ unitId }) => unitId)
        const spans = ids.flatMap((id) => chunks[Number(id)] ?? [])
        const relevant = new Set(chunks.flatMap((chunk, i) => (overlap([chunk], references) > 0 ? [String(i)] : [])))
        results.push({
          at5: compare(spans.slice(0, 5), references),
          at10: compare(spans, references),
          ndcg: ndcg(ids, relevant, 10),
        })
      }
      const average = (k: 'at5' | 'at10'): Scores => ({
        recall: mean(results.map((result) => result[k].recall)),
        precision: mean(results.map((result) => result[k].precision)),
        iou: mean(results.map((result) => result[k].iou)),
      })
      return {
        chunks: chunks.length,
        at5: average('at5'),
        at10: average('at10'),
        ndcg: mean(results.map((r) => r.ndcg)),
      }
    },
    close: async () => {
      await index.close()
      folder.remove()
    },
  }
}

/** Of Smith and Troynikov (Chroma, 2024): what several chunks retrieve twice counts twice in `retrieved`. */
function compare(retrieved: readonly Span[], references: readonly Span[]): Scores {
  const both = length(unionOf(references.flatMap((reference) => retrieved.flatMap((span) => common(span, reference)))))
  const wanted = length(unionOf(references))
  const got = length(retrieved)
  return { recall: both / wanted, precision: got === 0 ? 0 : both / got, iou: both / (got + wanted - both) }
}

const common = (a: Span, b: Span): Span[] => {
  const span = { start: Math.max(a.start, b.start), end: Math.min(a.end, b.end) }
  return span.start < span.end ? [span] : []
}

const overlap = (spans: readonly Span[], others: readonly Span[]) =>
  length(spans.flatMap((span) => others.flatMap((other) => common(span, other))))

const length = (spans: readonly Span[]) => spans.reduce((sum, { start, end }) => sum + end - start, 0)

function unionOf(spans: readonly Span[]): Span[] {
  const union: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = union.at(-1)
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end)
    else union.push({ ...span })
  }
  return union
}
