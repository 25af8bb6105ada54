import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { once } from '../../model/once.ts'
import { label, parse, text } from '../input/parse.ts'
import { unitInput } from '../units/unit-input.ts'

/** The demo namespace's scopes; every seed Unit is in one of them. */
export const seedScopes = ['harbor/backend', 'harbor/frontend', 'harbor/finance', 'harbor/general'] as const

/** The groups of the seeded principals. */
export const seedGroups = ['backend', 'general', 'finance'] as const

/** The files behind some of the Units, so that their places can be opened. Our own, and small. */
export const seedFiles = {
  '2025-10-09-minutes.md': 'text/markdown',
  'announcement.de.wav': 'audio/wav',
  'announcement.fr.vtt': 'text/vtt',
  'dunlin-pack-b-thermal.png': 'image/png',
  'telemetry-gateway.log': 'text/plain',
  'winter-2025.pdf': 'application/pdf',
} as const

export type SeedFile = keyof typeof seedFiles

/** What a Unit of the demo has besides what any Unit may have. */
const ofSeed = z.object({
  /** Seeding again finds the same Unit by it. */
  externalId: label().regex(/^seed-[a-z0-9]+(-[a-z0-9]+)*$/, 'must begin with seed-, in kebab-case'),
  scope: z.enum(seedScopes),
  text: text(2000),
  aclGroups: z.array(z.enum([...seedGroups, '*'])),
  /** The file that it opens; without one `sourceUri` is only a pointer. */
  file: z.enum(Object.keys(seedFiles) as SeedFile[]).optional(),
})

export type SeedUnit = z.output<typeof unitInput> & z.output<typeof ofSeed>

/** The demo dataset, a Unit a line: a year at Sandpiper Line, an invented company with four small electric ferries. */
export const readSeedUnits = once(async (): Promise<readonly SeedUnit[]> => {
  const lines = (await readFile(new URL('content/units.jsonl', import.meta.url), 'utf8')).trimEnd().split('\n')
  return lines.map((line, i) => {
    const { file, ...unit } = JSON.parse(line)
    const place = ['units.jsonl', i]
    return { ...parse(unitInput, unit, place), ...parse(ofSeed, { ...unit, file }, place) }
  })
})

export const readSeedFile = (name: SeedFile): Promise<Buffer> =>
  readFile(new URL(`content/files/${name}`, import.meta.url))
