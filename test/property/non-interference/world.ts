import { expect } from 'vitest'
import { builtinModel, createBuiltinInference } from '../../../src/adapters/inference-builtin/builtin-inference.ts'
import type { Inference } from '../../../src/ports/models/inference.ts'
import { systemRandom } from '../../../src/system.ts'
import { type BootOptions, boot, superAdminToken, type TestApp } from '../../support/boot.ts'

/** An app with a fixed clock and predefined Unit ids, so that two apps can hold identical Units. */
export interface World {
  app: TestApp
  /** Writes Units at this time; new Units take these ids, in order. */
  ingest(write: Write): Promise<void>
  remove(removal: Removal): Promise<void>
}

export interface Write {
  token: string
  namespace: string
  time: number
  unitIds: readonly string[]
  units: readonly object[]
}

export interface Removal {
  namespace: string
  time: number
  ids: readonly string[]
  hard: boolean
}

const builtin = createBuiltinInference()

/**
 * Built-in vectors, with a tower for pictures in the plane `text`, where no Unit of a history is a picture: all are embedded
 * at once. A picture's vector is that of its size.
 */
const withTower: Inference = {
  ...builtin,
  model: (plane) => (plane === 'text' ? { ...builtinModel, images: true } : builtinModel),
  embedImages: (plane, pictures, kind) =>
    builtin.embed(
      plane,
      pictures.map(({ bytes }) => pictured[bytes.length % pictured.length] ?? ''),
      kind,
    ),
}
const pictured = ['a ferry in the harbour', 'a storm at the pier', 'the running engine of a crane']

export async function createWorld(config: BootOptions['config'] = {}): Promise<World> {
  let now = 0
  const nextIds: string[] = []
  const unitId = () => {
    const id = nextIds.shift()
    if (id === undefined) throw new Error('no id is left for this Unit')
    return id
  }
  const app = await boot({
    // A busy machine must not make the answers of one world `indexed: false`.
    config: { ingestWaitMs: 120_000, ...config },
    bindings: {
      inference: withTower,
      clock: { now: () => now },
      random: { ...systemRandom, id: (prefix) => (prefix === 'unit' ? unitId() : systemRandom.id(prefix)) },
    },
  })
  return {
    app,
    ingest: async ({ token, namespace, time, unitIds, units }) => {
      now = time
      nextIds.push(...unitIds)
      const reply = await app.call('POST', '/v1/ingest', { token, namespace, scope: '*', body: { units } })
      expect(reply.body).toMatchObject({ indexed: true })
      expect(nextIds).toEqual([])
    },
    remove: async ({ namespace, time, ids, hard }) => {
      now = time
      const body = { ids, hard }
      const reply = await app.call('POST', '/v1/units:delete', { token: superAdminToken, namespace, body })
      expect(reply.body).toMatchObject({ matched: ids.length })
    },
  }
}
