export type FieldName = 'word' | 'bigram' | 'char' | 'stop'

/** What BM25 needs to know about a field, counted only over visible rows. */
export interface Field {
  name: FieldName
  /** By row: how many terms the field has there; of a long row, in a passage of it. */
  lengths: Uint32Array
  /** Visible rows with a term in the field, and how many they have on average. */
  rows: number
  averageLength: number
  /** By term: how many visible rows have it, as far as it was counted. */
  holding: Map<string, number>
}

export function fieldOver(name: FieldName, visible: Uint32Array, lengths: Uint32Array): Field {
  let [rows, total] = [0, 0]
  for (let i = 0; i < visible.length; i++) {
    const length = lengths[visible[i] ?? 0] ?? 0
    if (length > 0) rows++
    total += length
  }
  return { name, lengths, rows, averageLength: total / rows, holding: new Map() }
}

/** The weight of a term: ln(1 + (N - df + .5)/(df + .5)). */
export const inverseDocumentFrequency = (rows: number, holding: number): number =>
  Math.log(1 + (rows - holding + 0.5) / (holding + 0.5))
