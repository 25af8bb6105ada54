import { expect } from 'vitest'
import { atNight } from './amounts.ts'
import type { BootOptions } from './boot.ts'
import { startEngines } from './engines.ts'

/** All engines in this process, or outside of it. */
export type Profile = 'embedded' | 'scale-out'

/** The profiles that property tests run on: a catalog on a server goes with the other engines outside. At night both are tried. */
const usual: Profile = process.env.TEST_DATABASE_URL ? 'scale-out' : 'embedded'
export const profiles: readonly Profile[] = atNight ? ['embedded', 'scale-out'] : [usual]

export interface OpenProfile {
  /** The settings that boot a service with the profile. */
  config: NonNullable<BootOptions['config']>
  close(): Promise<void>
}

/** The engines of the scale-out profile are local servers; its catalog is PostgreSQL if TEST_DATABASE_URL is set. */
export async function openProfile(profile: Profile): Promise<OpenProfile> {
  if (profile === 'embedded') return { config: {}, close: async () => {} }
  const engines = await startEngines()
  return {
    config: engines.config,
    close: async () => {
      await engines[Symbol.asyncDispose]()
      expect(engines.breaches()).toEqual([])
    },
  }
}
