import { expect } from 'vitest'
import type { Reply } from '../../support/boot.ts'
import { isFiltered } from './filters.ts'
import type { ModelUnit, View } from './model.ts'
import type { SearchBody } from './operations.ts'

/** What a search must answer. */

export function checkSearch(
  view: View,
  query: SearchBody,
  readable: readonly ModelUnit[],
  body: Reply['body'],
  share: Share,
): void {
  const topK = query.top_k ?? 10
  const open = view.planes.filter((plane) => query.planes?.includes(plane) !== false)
  const inPlanes = view.within.filter((unit) => open.includes(unit.plane))
  const asked = query.q.split(' ').filter((word) => word !== '')
  const excluded = asked.filter((word) => word.startsWith('-')).map((word) => word.slice(1))
  const eligible = inPlanes.filter(
    (unit) => isFiltered(query.filters ?? {}, unit) && !excluded.some((word) => unit.words.includes(word)),
  )
  const words = asked.filter((word) => !word.startsWith('-'))
  const matches = (unit: ModelUnit) => query.q === '' || share(unit.words, words)
  const visible = eligible.filter((unit) => matches(unit) && readable.includes(unit)).map((unit) => unit.unitId)
  const found: string[] = body.hits.map((hit: { unit_id: string }) => hit.unit_id)

  expect(found.length).toBeLessThanOrEqual(topK)
  expect(new Set(found).size).toBe(found.length)
  for (const hit of body.hits) {
    const unit = eligible.find((u) => u.unitId === hit.unit_id && readable.includes(u))
    expect(unit, `${hit.unit_id} is not a hit`).toBeDefined()
    if (unit) expect(hit).toMatchObject(asShown(unit))
    // The match is with the current words or letters, not with those before an update or deletion.
    const byText = hit.explain?.some(({ leg }: { leg: string }) => leg === 'text')
    if (byText) expect(visible).toContain(hit.unit_id)
  }
  for (const { group } of body.hits) {
    const members: { unit_id: string }[] = group?.hits ?? []
    expect(members.length).toBeLessThanOrEqual(query.group_size ?? 1)
    for (const { unit_id } of members) expect(readable.map(({ unitId }) => unitId)).toContain(unit_id)
  }
  checkCounts(
    eligible.filter((unit) => readable.includes(unit)),
    body.facets ?? [],
  )
  // A vector also ranks Units without these letters; `min_score`, pages and groups omit some that have them.
  const { vector, min_score, offset, group_by } = query
  const byWordsAlone = [vector, min_score, offset, group_by].every((one) => one === undefined)
  if (byWordsAlone && visible.length <= topK) expect(found).toEqual(expect.arrayContaining(visible))
  else if (byWordsAlone) expect(visible).toEqual(expect.arrayContaining(found))

  // Of the words alone: neither filters, nor vectors, nor a threshold.
  const isHidden = (unit: ModelUnit) => !readable.includes(unit)
  const byWords = inPlanes.filter((unit) => matches(unit) || share(unit.words, excluded))
  expect(body.hidden_by_acl).toBeLessThanOrEqual(Math.min(topK, inPlanes.filter(isHidden).length))
  if (byWords.length <= topK) expect(body.hidden_by_acl).toBeGreaterThanOrEqual(byWords.filter(isHidden).length)
}

interface Facet {
  field: string
  values: { value: unknown; count: number }[]
  other: number
  missing: number
}

/** No value counts more Units than may be found. */
function checkCounts(findable: readonly ModelUnit[], facets: readonly Facet[]): void {
  const valueIn: Record<string, (unit: ModelUnit) => unknown> = {
    scope: ({ scope }) => scope,
    plane: ({ plane }) => plane,
    doc_id: ({ docId }) => docId,
    'metadata.note': ({ metadata }) => metadata.note,
    'metadata.tag': ({ metadata }) => metadata.tag,
  }
  for (const { field, values, other, missing } of facets) {
    const held = findable.flatMap((unit) => valueIn[field]?.(unit))
    for (const { value, count } of values) {
      expect(count, `${field} ${value}`).toBeLessThanOrEqual(held.filter((one) => one === value).length)
    }
    expect(other).toBeLessThanOrEqual(findable.length)
    expect(missing).toBeLessThanOrEqual(findable.length)
  }
}

export function checkTrace({ trace }: Reply['body']): void {
  expect(trace.degraded).toEqual([])
  for (const clamped of trace.clamped_planes) expect(trace.planes).not.toContain(clamped)
}

/** An answer quotes only hits, word for word. */
export function checkCitations({ answer }: SearchBody, body: Reply['body']): void {
  expect(body.answer !== null).toBe(answer === true)
  if (body.answer === null) return
  for (const { unit_id, quote, start, end } of body.answer.citations) {
    const hit = body.hits.find((h: { unit_id: string }) => h.unit_id === unit_id)
    expect(hit?.text.slice(start, end)).toBe(quote)
  }
  expect(body.answer.abstained).toBe(body.answer.citations.length === 0)
}

/** Whether a query matches a text, by their words. */
export type Share = (a: readonly string[], b: readonly string[]) => boolean

export const shareWords: Share = (a, b) => a.some((word) => b.includes(word))

/** Whether two words share four letters in sequence; the two ends of a word count as letters. */
export function shareLetters(a: readonly string[], b: readonly string[]): boolean {
  const grams = (words: readonly string[]) =>
    words.flatMap((word) => Array.from({ length: word.length - 1 }, (_, i) => `_${word}_`.slice(i, i + 4)))
  const known = new Set(grams(a))
  return grams(b).some((gram) => known.has(gram))
}

export const asShown = ({
  unitId,
  externalId,
  scope,
  plane,
  modality,
  words,
  docId,
  sourceUri,
  metadata,
}: ModelUnit) => ({
  unit_id: unitId,
  external_id: externalId,
  scope,
  plane,
  modality,
  text: words.length > 0 ? words.join(' ') : null,
  doc_id: docId,
  source_uri: sourceUri,
  metadata,
})
