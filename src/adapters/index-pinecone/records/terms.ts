import { createHash } from 'node:crypto'
import type { Metadata } from '../../../model/unit.ts'

/** Longer texts are stored as a digest: they are compared whole and never read back. */
const maxBytes = 64

/**
 * A text as it is stored for comparison: unchanged if short, otherwise a digest of 132 bits. Collisions cannot be found
 * in practice; if there were one, the catalog would still distinguish the texts.
 */
export function term(text: string): string {
  if (text !== '' && !text.startsWith('#') && Buffer.byteLength(text) <= maxBytes) return text
  return `#${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
}

/** A key with one of its values, including its type: `["pages",3]`. */
export const pair = (key: string, value: string | number | boolean): string => term(JSON.stringify([key, value]))

/** Every value of the metadata with its key; for a list, each of its elements. */
export function pairsOf(metadata: Metadata): string[] {
  const pairs = Object.entries(metadata).flatMap(([key, value]) =>
    typeof value === 'object' ? value.map((element) => pair(key, element)) : [pair(key, value)],
  )
  return [...new Set(pairs)]
}

/** The field of a metadata number, for ranges. */
export const numberField = (key: string): string => `n:${term(key)}`
