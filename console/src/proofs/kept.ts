import type { Checkpoint, KeptCheckpoints } from './checkpoint.ts'

/**
 * The last checkpoint of each origin, in the store of the browser: it outlives the session, as that is what it is for. A note
 * holds a number of rows and a hash, and nothing of what the log says.
 */
export function keptIn(storage: Pick<Storage, 'getItem' | 'setItem'>): KeptCheckpoints {
  return {
    get: (origin) => parse(storage.getItem(keyOf(origin))),
    set: (origin, { note, verifierKey }) => storage.setItem(keyOf(origin), JSON.stringify({ note, verifierKey })),
  }
}

const keyOf = (origin: string) => `console.checkpoint.${origin}`

/** What cannot be read is reported as such by the check, instead of being forgotten. */
function parse(text: string | null): Checkpoint | null {
  if (text === null) return null
  try {
    const { note, verifierKey } = JSON.parse(text)
    return { note: String(note), verifierKey: String(verifierKey) }
  } catch {
    return { note: '', verifierKey: '' }
  }
}
