import { createHash } from 'node:crypto'
import type { Metadata } from '../../../model/unit.ts'

/** What is longer is kept as a digest: it is compared whole, and need not be read. */
const maxBytes = 64

/**
 * A text as it is kept to be compared: itself when it is short, else a digest of 132 bits. No two texts that anybody finds
 * are kept alike; were they, the catalog would tell them apart.
 */
export function term(text: string): string {
  if (text !== '' && !text.startsWith('#') && Buffer.byteLength(text) <= maxBytes) return text
  return `#${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
}

/** A key with one of its values, type for type: `["pages",3]`. */
export const pair = (key: string, value: string | number | boolean): string => term(JSON.stringify([key, value]))

/** Every value of the metadata under its key; of a list, each of its elements. */
export function pairsOf(metadata: Metadata): string[] {
  const pairs = Object.entries(metadata).flatMap(([key, value]) =>
    typeof value === 'object' ? value.map((element) => pair(key, element)) : [pair(key, value)],
  )
  return [...new Set(pairs)]
}

/** The field that holds a number of the metadata, for ranges. */
export const numberField = (key: string): string => `n:${term(key)}`
