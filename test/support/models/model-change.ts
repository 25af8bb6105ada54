import { expect } from 'vitest'
import type { Inference } from '../../../src/ports/models/inference.ts'
import { boot, type CallOptions, type Reply, type TestApp } from '../boot.ts'
import type { TestStorage } from '../database/database.ts'

/** A namespace while its text plane changes models, seen through the API. */
export interface Harbour {
  app: TestApp
  namespaceId: string
  call(method: string, path: string, body?: unknown, options?: CallOptions): ReturnType<TestApp['call']>
  /** Returns the ids of the new Units. */
  ingest(texts: readonly string[]): Promise<string[]>
  /** Texts of a search's hits, best first, and its trace. */
  find(body?: object): ReturnType<typeof findIn>
  /** The text plane in the compaction status. */
  plane(): Promise<PlaneStatus>
  stats(): Promise<{ model: string; dims: number; vectors: number }>
  /** For the whole namespace: Unit -> the models of its vectors. */
  models(ids: readonly string[]): Promise<string[][]>
  /** Resolves when no change is running and no vector of another model is left. */
  settled(): Promise<void>
  actions(): Promise<string[]>
  graphqlAsOwner(query: string, variables: Record<string, unknown>): Promise<Reply['body']>
}

interface PlaneStatus {
  pending: number
  indexed: number
  lag: number
  modelChange: { model: string; target: string; done: number; left: number } | null
}

export const bootWith = (inference: Inference, formerInference: Inference[] = [], storage?: TestStorage) =>
  boot({ bindings: { inference, formerInference }, ...(storage && { storage }) })

const planesQuery = /* GraphQL */ `
  query { compaction { planes { plane pending indexed lag modelChange { model target done left } } } }`

export async function harbourOf(app: TestApp, token: string, namespace: string): Promise<Harbour> {
  const namespaceId = (await app.runtime.bindings.catalog.access.namespace(namespace))?.namespace.id ?? ''
  const { catalog } = app.runtime.bindings
  const call: Harbour['call'] = async (method, path, body, options) => {
    const reply = await app.call(method, path, {
      token,
      scope: 'dock',
      ...(body !== undefined && { body }),
      ...options,
    })
    return reply
  }
  const textOf = (planes: { plane: string }[]) => planes.find(({ plane }) => plane === 'text')
  const plane = async () => {
    const { body } = await app.graphql(planesQuery, {}, { token })
    return textOf(body.data.compaction.planes) as unknown as PlaneStatus
  }
  return {
    app,
    namespaceId,
    call,
    plane,
    ingest: async (texts) => {
      const units = texts.map((text) => ({ text, external_id: text }))
      const { status, body } = await call('POST', '/v1/ingest', { units })
      expect([status, body.indexed]).toEqual([200, true])
      return body.units.map((unit: { unit_id: string }) => unit.unit_id)
    },
    graphqlAsOwner: async (query, variables) => (await app.graphql(query, variables, { token, scope: 'dock' })).body,
    find: (body) => findIn(call, body),
    stats: async () => textOf((await call('GET', '/v1/catalog/stats')).body.planes) as never,
    models: async (ids) => {
      const changes = await catalog.changes.of(namespaceId, ids)
      const byId = new Map(
        changes.map((change) => {
          if (change.kind !== 'put') return [change.unitId, []]
          const { unitId, vector, otherVector } = change.unit
          return [unitId, [vector, otherVector].flatMap((v) => v?.model ?? [])]
        }),
      )
      return ids.map((id) => byId.get(id) ?? [])
    },
    settled: async () => {
      await expect.poll(async () => (await plane()).modelChange).toBeNull()
      const held = async () => (await catalog.usage.models(namespaceId)).filter(({ model }) => model !== 'own').length
      await expect.poll(held).toBe(1)
    },
    actions: async () => {
      const { body } = await app.call('GET', '/v1/audit?limit=100', { token })
      return body.rows.map((row: { action: string }) => row.action).reverse()
    },
  }
}

async function findIn(call: Harbour['call'], body: object = {}) {
  const reply = await call('POST', '/v1/search', { q: 'where', ...body })
  expect(reply.status).toBe(200)
  const { hits, trace } = reply.body
  return {
    texts: hits.map((hit: { text: string }) => hit.text),
    hits,
    trace,
    legs: trace.legs.map(({ leg }: { leg: string }) => leg),
  }
}

/** A promise that the test resolves. */
export const gate = () => Promise.withResolvers<void>()

/** A gate for texts that contain a word: it lets N calls pass, then the provider fails. */
export function failingAfter(calls: number, word: string): (texts: readonly string[]) => Promise<void> | undefined {
  let left = calls
  return (texts) => {
    if (!texts.some((text) => text.includes(word)) || left-- > 0) return undefined
    return Promise.reject(new Error('the provider fails'))
  }
}
