import type { Inference } from '../../src/ports/models/inference.ts'

export interface Compass extends Inference {
  /** What each call waits for. Default: nothing. */
  gate: (texts: readonly string[]) => Promise<void> | undefined
  /** The number of embedded texts. */
  embedded: number
}

/**
 * A test model. It embeds a text by the words north and south in it, and embeds `where` at the compass direction. The
 * first hit of a search for `where` therefore shows which model the search used. No Unit contains a word of that query.
 */
export function createCompass(name: string, points: 'north' | 'south', dims = 4): Compass {
  const compass: Compass = {
    gate: () => undefined,
    embedded: 0,
    model: () => ({ name, dims, builtin: false, fallback: false, atOnce: Number.POSITIVE_INFINITY }),
    embed: async (_plane, texts) => {
      await compass.gate(texts)
      compass.embedded += texts.length
      return texts.map((text) => {
        if (text.includes('nowhere')) return null
        const has = (way: 'north' | 'south') => text.includes(way) || (text === 'where' && points === way)
        const vector = new Float32Array(dims).fill(0.01)
        vector[0] = has('north') ? 1 : 0
        vector[1] = has('south') ? 1 : 0
        return vector
      })
    },
    ping: async () => {},
  }
  return compass
}
