import { expect } from 'vitest'
import type { Reply, TestApp } from '../boot.ts'
import type { LocalPinecone } from './local-pinecone.ts'

/** A namespace, a principal with all permissions in it, and its data in Pinecone. */
export async function createTenant(app: TestApp, pinecone: LocalPinecone, name: string) {
  const token = await app.principal({ id: name, namespace: name })
  const namespaceId = (await app.runtime.bindings.catalog.access.namespace(name))?.namespace.id ?? ''
  const call = (method: string, path: string, body?: object): Promise<Reply> =>
    app.call(method, path, { token, ...(body && { body }) })
  const search = async (body: object) => (await call('POST', '/v1/search', body)).body
  return {
    token,
    namespaceId,
    call,
    search,
    ingest: async (units: readonly object[], scope = 'dock') => {
      const reply = await app.call('POST', '/v1/ingest', { token, scope, body: { units } })
      expect(reply.status).toBe(200)
      return reply.body
    },
    /** The texts of the hits. */
    texts: async (body: object) => (await search(body)).hits.map((hit: { text: string }) => hit.text),
    records: () => pinecone.records(namespaceId),
    caughtUp: async () => {
      const behind = async () => {
        const { trace } = await search({ q: 'anything' })
        return trace.seq - trace.index_seq
      }
      await expect.poll(behind, { interval: 100 }).toBe(0)
    },
  }
}
