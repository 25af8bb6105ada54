import { createHash } from 'node:crypto'
import type { NamespaceWriter } from '../../ports/catalog/namespace-writer.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { inspect } from '../sources/content-type.ts'
import { sourceKey } from '../sources/purge-sources.ts'
import type { EmbeddedUnit } from '../units/embed-units.ts'
import { readSeedFile, type SeedFile, seedFiles } from './content/seed-file.ts'
import { seedUnits } from './dataset.ts'

type Deps = Pick<Bindings, 'objects' | 'clock' | 'random' | 'log'>

const filesOfUnits: ReadonlyMap<string, SeedFile> = new Map(
  seedUnits.flatMap(({ externalId, file }) => (file ? [[externalId, file] as const] : [])),
)

/**
 * Stores the files behind the Units, and names them there. A Unit of an earlier seed keeps its file. If the object
 * store fails, the Units have only their pointers.
 */
export async function keepFiles(
  deps: Deps,
  tx: NamespaceWriter,
  principalId: string,
  units: readonly EmbeddedUnit[],
): Promise<EmbeddedUnit[]> {
  const known = await tx.units.findExternal(principalId, [...filesOfUnits.keys()])
  const named = new Map(known.map(({ externalId, sourceUri }) => [externalId ?? '', sourceUri]))
  const uris = new Map<SeedFile, string>()
  try {
    for (const [externalId, file] of filesOfUnits) {
      if (!uris.has(file)) uris.set(file, await keep(deps, tx, principalId, file, named.get(externalId) ?? null))
    }
  } catch (error) {
    deps.log.warn({ err: error }, 'the files of the demo data could not be stored; seed again')
  }
  return units.map((unit) => {
    const file = filesOfUnits.get(unit.externalId ?? '')
    const sourceUri = file && uris.get(file)
    return sourceUri === undefined ? unit : { ...unit, sourceUri }
  })
}

/** The end of the ids of sources with these bytes: they are found again without reading them. */
const endOf = (sha256: string) => `_${sha256.slice(0, 16)}`

async function keep(
  { objects, clock, random }: Deps,
  tx: NamespaceWriter,
  createdBy: string,
  name: SeedFile,
  known: string | null,
): Promise<string> {
  const data = await readSeedFile(name)
  const sha256 = createHash('sha256').update(data).digest('hex')
  if (known?.startsWith('source://') && known.endsWith(endOf(sha256))) return known
  const id = random.id('source') + endOf(sha256)
  const mime = seedFiles[name]
  const inspection = inspect()
  inspection.take(data)
  const content = await inspection.contentType({ mime, name })
  // Store the bytes first: a record must not exist without them.
  await objects.put(sourceKey(tx.namespace.id, id), data)
  const facts = { id, uri: `source://${id}`, mime, bytes: data.length, sha256, name, content }
  await tx.sources.insert({ ...facts, createdBy, createdAt: clock.now(), uploadedWith: null, byLink: false })
  return facts.uri
}
