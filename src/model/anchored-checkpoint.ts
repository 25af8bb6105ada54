import { z } from 'zod'

/** A signed checkpoint as it is stored. Only the note is proof; the other fields say which log it belongs to. */
export interface AnchoredCheckpoint {
  namespaceId: string
  /** The number of rows that it covers. */
  size: number
  /** Epoch milliseconds. */
  time: number
  /** The signed note, verbatim. */
  note: string
}

const whole = z.int().min(0)
const record = z.object({ namespace_id: z.string(), size: whole, time: whole, note: z.string() })

/** One line of JSON, `{namespace_id, size, time, note}`, without the newline. */
export const formatAnchored = ({ namespaceId, size, time, note }: AnchoredCheckpoint): string =>
  JSON.stringify({ namespace_id: namespaceId, size, time, note })

/** Null for a line that `formatAnchored` did not write for this namespace, such as a truncated line. */
export function parseAnchored(line: string, namespaceId: string): AnchoredCheckpoint | null {
  const { data } = record.safeParse(jsonOf(line))
  if (data?.namespace_id !== namespaceId) return null
  return { namespaceId, size: data.size, time: data.time, note: data.note }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A namespace's id becomes a file or object name in the anchor: it must not lead to any other place. */
export function anchorName(namespaceId: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(namespaceId)) throw new RangeError('a namespace id is A-Z a-z 0-9 _ -')
  return namespaceId
}
