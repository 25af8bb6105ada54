import { join } from 'node:path'
import { createFileObjectStore, removePartials } from '../adapters/objects-fs/file-object-store.ts'
import type { Config } from '../config.ts'
import { noTelemetry } from '../model/telemetry.ts'
import type { ObjectStore } from '../ports/stores/object-store.ts'

/** Of several processes on one folder, another one may be writing. */
const quietMs = 3_600_000

export async function objectsOf({ objects, dataDir, catalog }: Config, telemetry = noTelemetry): Promise<ObjectStore> {
  if (objects.kind === 'filesystem') {
    const folder = join(dataDir, 'objects')
    await removePartials(folder, catalog.kind === 'pglite' ? 0 : quietMs)
    return createFileObjectStore(folder)
  }
  // Loaded only where it is needed: Amazon's SDK takes 30 MB of memory.
  const { createS3ObjectStore } = await import('../adapters/s3/s3-object-store.ts')
  return createS3ObjectStore(objects, { spool: join(dataDir, 'spool'), telemetry })
}
