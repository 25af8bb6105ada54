import { primaryLanguage } from '../../../model/language.ts'
import { type Acl, modalities, type Plane, planes, repeatedWords, titledText, vectorsOf } from '../../../model/unit.ts'
import type { Embedding, IndexedUnit, ReadersChange } from '../../../ports/indexes/index-filter.ts'
import { analyseNames, type Token } from '../analysis/analyse.ts'
import { detectLanguage } from '../analysis/detect-language.ts'
import { keyOf } from '../analysis/lexemes.ts'
import { type Morphology, morphologyOf } from '../analysis/morphology.ts'
import { paragraph } from '../text/text-columns.ts'
import { comparable, type MatrixState, newMatrix } from '../vectors/matrix.ts'
import { none, Shard } from './shard.ts'

const stringColumns = ['docId', 'externalId', 'sourceUri', 'mime'] as const

/** What a Unit is indexed without. Without its language, its words are analysed as those of an unknown one. */
export type LeftOut = 'language' | 'words' | 'vector'

/**
 * Adds a Unit's row in place of its older one. What cannot be read of the Unit is left out: no other Unit waits for it. Throws
 * only when memory or rows run out; the shard is then half written.
 */
export function putUnit(shard: Shard, unit: IndexedUnit): LeftOut[] {
  const left: LeftOut[] = []
  const tokens = readTokens(shard, unit, left)
  const vector = pushVectors(shard, unit.plane, unit.vector, left)
  const other = pushVectors(shard, unit.plane, unit.otherVector ?? null, left)
  const { rows } = shard
  const string = (text: string | null) => (text === null ? none : shard.strings.intern(text) + 1)
  const time = unit.locator?.kind === 'time_range' ? unit.locator : null
  shard.facets.add(unit.metadata)
  rows.deadAt.push(0)
  rows.plane.push(planes.indexOf(unit.plane))
  rows.modality.push(modalities.indexOf(unit.modality))
  rows.scope.push(shard.scopes.intern(unit.scopeId))
  rows.acl.push(aclNumber(shard, unit.acl))
  for (const column of stringColumns) rows[column].push(string(unit[column]))
  rows.createdAt.push(unit.createdAt)
  rows.updatedAt.push(unit.updatedAt)
  rows.timeStart.push(time?.tStartMs ?? Number.NaN)
  rows.timeEnd.push(time?.tEndMs ?? Number.NaN)
  pushPlace(rows, usual, vector)
  pushPlace(rows, another, other)
  shard.text.add(tokens)
  place(shard, unit.unitId, unit.seq)
  return left
}

/** Gives the living rows of Units other readers. Other threads keep the columns that they have. Returns the bytes that only they have then. */
export function changeReaders(shard: Shard, changes: readonly ReadersChange[]): number {
  if (changes.length === 0) return 0
  const { acl, updatedAt } = shard.rows
  const released = acl.detach() + updatedAt.detach()
  shard.changes++
  for (const change of changes) {
    const unit = shard.unitIds.find(change.unitId)
    const row = unit < 0 ? 0 : (shard.rowOf.array[unit] ?? 0)
    if (row === 0 || (shard.seqOf.array[unit] ?? 0) > change.seq) continue
    acl.array[row - 1] = aclNumber(shard, change.acl)
    updatedAt.array[row - 1] = change.updatedAt
    shard.seqOf.array[unit] = change.seq
  }
  return released
}

const aclNumber = (shard: Shard, { owner, groups }: Acl) => shard.acls.intern(JSON.stringify([owner, ...groups]))

/** Removes a Unit's row and remembers the removal. */
export function removeUnit(shard: Shard, unitId: string, seq: number): void {
  const unit = unitNumber(shard, unitId)
  // A row without a successor is dead for readers of any number of rows.
  bury(shard, unit, shard.rowCount)
  shard.rowOf.array[unit] = 0
  shard.seqOf.array[unit] = seq
}

/** Seq of a Unit that has a row, otherwise 0. */
export const seqOfRow = (shard: Shard, unitId: string): number =>
  shard.rowOf.array[shard.unitIds.find(unitId)] ? seqHeld(shard, unitId) : 0

/** Seq of the latest change of a Unit, 0 for an unknown one. */
export const seqHeld = (shard: Shard, unitId: string): number => shard.seqOf.array[shard.unitIds.find(unitId)] ?? 0

/** Makes the last row the Unit's living one. This is the last step: only now the row counts. */
function place(shard: Shard, unitId: string, seq: number): void {
  const unit = unitNumber(shard, unitId)
  const row = shard.rows.unit.push(unit)
  bury(shard, unit, row + 1)
  shard.rowOf.array[unit] = row + 1
  shard.seqOf.array[unit] = seq
}

function bury(shard: Shard, unit: number, seenFrom: number): void {
  shard.changes++
  const row = (shard.rowOf.array[unit] ?? 0) - 1
  if (row < 0) return
  shard.rows.deadAt.array[row] = seenFrom
  shard.deadRows++
}

function unitNumber(shard: Shard, unitId: string): number {
  const unit = shard.unitIds.intern(unitId)
  if (unit === shard.rowOf.length) {
    shard.rowOf.push(0)
    shard.seqOf.push(0)
  }
  return unit
}

/** The columns that say where the vectors of a row are. */
type Columns = readonly ['matrix', 'slot', 'slots'] | readonly ['otherMatrix', 'otherSlot', 'otherSlots']
const usual = ['matrix', 'slot', 'slots'] as const
const another = ['otherMatrix', 'otherSlot', 'otherSlots'] as const

interface Place {
  matrix: number
  slot: number
  slots: number
}
const noPlace: Place = { matrix: none, slot: 0, slots: 0 }
/** What the column of their number holds. */
const maxVectors = 255

function pushPlace(rows: Shard['rows'], [matrix, slot, slots]: Columns, place: Place): void {
  rows[matrix].push(place.matrix)
  rows[slot].push(place.slot)
  rows[slots].push(place.slots)
}

function pushVectors(shard: Shard, plane: Plane, embedding: Embedding | null, left: LeftOut[]): Place {
  if (!embedding) return noPlace
  let vectors: Float32Array[]
  try {
    vectors = vectorsOf(embedding).slice(0, maxVectors).map(comparable)
  } catch {
    left.push('vector')
    return noPlace
  }
  return addVectors(shard, { plane, model: embedding.model, dims: vectors[0]?.length ?? 0 }, vectors)
}

type MatrixKey = Pick<MatrixState, 'plane' | 'model' | 'dims'>

function addVectors(shard: Shard, { plane, model, dims }: MatrixKey, vectors: readonly Float32Array[]): Place {
  const known = shard.matrixOf(plane, model, dims)
  const number = known >= 0 ? known : shard.matrices.length
  const matrix = shard.matrices[number] ?? shard.addMatrix(newMatrix(plane, model, dims))
  const slot = matrix.slots
  for (const values of vectors) matrix.push(values)
  return { matrix: number + 1, slot, slots: vectors.length }
}

/** By the rules of its language; if that fails, by those for an unknown language. */
function readTokens(shard: Shard, unit: IndexedUnit, left: LeftOut[]): number[] {
  try {
    return tokensOf(shard, unit, morphologyOf(primaryLanguage(unit.language) ?? detectLanguage(titledText(unit))))
  } catch {
    left.push('language')
  }
  try {
    return tokensOf(shard, unit, null)
  } catch {
    left.push('words')
    return []
  }
}

/** The title's words, then the text's without those that repeat the title. No pair of words crosses the title's end. */
function tokensOf(shard: Shard, unit: IndexedUnit, morphology: Morphology | null): number[] {
  const { title } = unit
  const text = unit.text ?? ''
  const number = (token: Token, within: string) => shard.text.intern(keyOf(token, within, morphology)) + 1
  const body = analyseNames(text)
  const tokens = title === null ? [] : analyseNames(title).map((token) => number(token, title))
  const repeated = title === null ? 0 : repeatedWords(title, wordsOf(body), (heading) => wordsOf(analyseNames(heading)))
  if (tokens.length > 0) tokens.push(paragraph)
  for (const [i, token] of body.entries()) {
    if (i < repeated) continue
    if (token.opensParagraph && tokens.at(-1) !== paragraph) tokens.push(paragraph)
    tokens.push(number(token, text))
  }
  return tokens
}

const wordsOf = (tokens: readonly Token[]) => tokens.map(({ word }) => word)

/**
 * The living rows in a new shard, in the same order. It contains no word, vector or id of the dead ones. So a snapshot
 * written from it contains nothing that was removed for good.
 */
export function compact(from: Shard): Shard {
  const to = new Shard()
  const wordOf = memo((word) => to.text.intern(from.text.words.text(word)))
  const stringOf = memo((string) => to.strings.intern(from.strings.text(string)))
  const scopeOf = memo((scope) => to.scopes.intern(from.scopes.text(scope)))
  const aclOf = memo((acl) => to.acls.intern(from.acls.text(acl)))
  const { rows } = from
  for (let row = 0; row < from.rowCount; row++) {
    if (rows.deadAt.array[row] !== 0) continue
    for (const column of ['deadAt', 'plane', 'modality', 'createdAt', 'updatedAt', 'timeStart', 'timeEnd'] as const) {
      to.rows[column].push(rows[column].array[row] ?? 0)
    }
    for (const column of stringColumns) {
      const string = rows[column].array[row] ?? none
      to.rows[column].push(string === none ? none : stringOf(string - 1) + 1)
    }
    to.rows.scope.push(scopeOf(rows.scope.array[row] ?? 0))
    to.rows.acl.push(aclOf(rows.acl.array[row] ?? 0))
    to.facets.copy(from.facets, row)
    copyVectors(from, to, row, usual)
    copyVectors(from, to, row, another)
    to.text.add(Array.from(from.text.row(row), (token) => (token === paragraph ? paragraph : wordOf(token - 1) + 1)))
    const unit = rows.unit.array[row] ?? 0
    place(to, from.unitIds.text(unit), from.seqOf.array[unit] ?? 0)
  }
  return to
}

function copyVectors(from: Shard, to: Shard, row: number, columns: Columns): void {
  const [matrix = none, slot = 0, slots = 0] = columns.map((name) => from.rows[name].array[row])
  const old = from.matrices[matrix - 1]
  const vectors = old ? Array.from({ length: slots }, (_, i) => old.vector(slot + i)) : []
  pushPlace(to.rows, columns, old ? addVectors(to, old.state, vectors) : noPlace)
}

function memo(map: (key: number) => number): (key: number) => number {
  const known = new Map<number, number>()
  return (key) => {
    const found = known.get(key) ?? map(key)
    known.set(key, found)
    return found
  }
}
