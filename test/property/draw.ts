import fc from 'fast-check'
import { propertyRuns, propertySeed } from '../support/amounts.ts'

/** Uniform, reproducible choices for one run of a property. */
export interface Draw {
  /** 0 to `max`, inclusive. */
  upTo(max: number): number
  chance(percent: number): boolean
  pick<T>(list: readonly T[]): T
  /** Distinct members, at most `most`, in list order. */
  some<T>(list: readonly T[], max?: number): T[]
}

// fast-check prefers small numbers, so the first principal would ask for the first scope most of the time.
const evenly = (max: number) => fc.noBias(fc.nat(max))

function drawFrom(upTo: (max: number) => number): Draw {
  const pick = <T>(list: readonly T[]): T => {
    const [chosen] = list.slice(upTo(list.length - 1))
    return chosen as T
  }
  return {
    upTo,
    pick,
    chance: (percent) => upTo(99) < percent,
    some: (list, max = list.length) => {
      const chosen = new Set<number>()
      for (let left = upTo(Math.min(max, list.length)); left > 0; left--) chosen.add(upTo(list.length - 1))
      return list.filter((_, i) => chosen.has(i))
    },
  }
}

/** `few` runs, or PROPERTY_RUNS, from PROPERTY_SEED. */
export async function forAllRuns(few: number, check: (draw: Draw, run: number) => Promise<void>): Promise<void> {
  let run = 0
  const property = fc.asyncProperty(fc.gen(), async (g) => {
    run += 1
    await check(
      drawFrom((max) => g(evenly, max)),
      run,
    )
  })
  // A run takes a second, so there is no shrinking; the failure message contains all that is needed.
  await fc.assert(property, {
    seed: propertySeed,
    numRuns: propertyRuns(few),
    endOnFailure: true,
    includeErrorInReport: true,
    // The drawn values would hide the error; seed and path reproduce them.
    reporter: (details) => {
      if (!details.failed) return
      const { seed, counterexamplePath, errorInstance } = details
      const where = `seed ${seed}, path ${counterexamplePath} (PROPERTY_SEED=${seed} repeats it)`
      throw new Error(`after ${details.numRuns} runs, ${where}\n${errorInstance}`, { cause: errorInstance })
    },
  })
}

/** A long timeout for a property with `few` runs. */
export const timeoutFor = (few: number) => 240_000 + propertyRuns(few) * 60_000
