import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Plane } from '../../../model/unit.ts'
import type { Kind } from '../memory/column.ts'

/**
 * A snapshot file: `magic`, the length and CRC-32 of the header (32 bits each, little-endian), the header as JSON, then
 * the bytes of each section in the header's order. The number in `magic` increases whenever columns, vectors or text
 * analysis change; older files are then rebuilt.
 */
export const magic = 'RIDX0004'
export const prefixBytes = magic.length + 8

export interface Header {
  namespaceId: string
  /** The seq up to which the namespace is applied. */
  cursor: number
  columns: { name: string; kind: Kind; length: number; crc: number }[]
  /** `slots` vectors each, then as many sketches. */
  matrices: { plane: Plane; model: string; dims: number; slots: number; vectorsCrc: number; sketchesCrc: number }[]
}

/** Named by a hash: an id may not be a valid file name. */
export const snapshotPath = (directory: string, namespaceId: string): string =>
  join(directory, `${createHash('sha256').update(namespaceId).digest('hex').slice(0, 32)}.snapshot`)
