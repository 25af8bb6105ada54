import type { Inference } from '../../src/ports/inference.ts'

export interface Compass extends Inference {
  /** What each call waits for; by default nothing. */
  gate: (texts: readonly string[]) => Promise<void> | undefined
  /** How many texts were embedded. */
  embedded: number
}

/**
 * A model of a test's own: a text lies where its words say, north or south, and `where` lies where the compass points.
 * So what a search for `where` finds first tells which model it used. No word of a Unit is in that query.
 */
export function createCompass(name: string, points: 'north' | 'south', dims = 4): Compass {
  const compass: Compass = {
    gate: () => undefined,
    embedded: 0,
    model: () => ({ name, dims, builtin: false }),
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
