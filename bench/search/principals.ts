import { readConfig } from '../../src/config.ts'
import { createRuntime } from '../../src/runtime.ts'
import { addPrincipal } from '../../test/support/access/principals.ts'
import { groupOf } from './data.ts'

export interface Tokens {
  writer: string
  /** By selectivity: a principal that can read only through that group. */
  readers: ReadonlyMap<number, string>
}

/** Creates the bench's principals in an empty data directory, before the service opens it. */
export async function makePrincipals(dataDir: string, selectivities: readonly number[]): Promise<Tokens> {
  const runtime = await createRuntime(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'error' }))
  const namespace = 'bench'
  try {
    const writer = await addPrincipal(runtime, { id: 'writer', namespace })
    const readers = new Map<number, string>()
    for (const selectivity of selectivities) {
      const group = groupOf(selectivity)
      const grants = [{ scope: '*', perms: ['read' as const] }]
      readers.set(selectivity, await addPrincipal(runtime, { id: group, namespace, groups: [group], grants }))
    }
    return { writer, readers }
  } finally {
    await runtime.dispose()
  }
}
