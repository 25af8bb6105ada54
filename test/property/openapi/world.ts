import { expect } from 'vitest'
import type { TestApp } from '../../support/boot.ts'

export interface World {
  /** By kind: unrestricted, narrow, of an agent, and none or an invalid one. */
  keys: Readonly<Record<'unrestricted' | 'narrow' | 'agent' | 'none', readonly (string | undefined)[]>>
  known: Readonly<Record<string, readonly string[]>>
}

/** A namespace with Units, scopes, grants and principals, and four kinds of credentials in it. */
export async function buildWorld(app: TestApp, run: number): Promise<World> {
  const namespace = `open-${run}`
  const id = (name: string) => `${name}-${run}`
  const token = await app.principal({ id: id('keeper'), namespace, groups: ['crew'] })
  const agent = await app.principal({
    ...{ id: id('agent'), namespace, kind: 'agent', tier: 'enterprise', groups: ['crew'] },
    grants: [{ scope: 'acme', perms: ['read', 'write'] }],
  })
  const narrow = await app.principal({
    ...{ id: id('narrow'), namespace, groups: ['crew'] },
    restrictions: { perms: ['read', 'write'], scopePrefix: 'acme/eng', planes: ['text'], groups: ['crew'] },
  })
  const units = ['acme', 'acme/eng', 'acme/eng/search', 'other'].map((scope, i) => ({
    ...{ scope, text: `The lamp of the harbour ${i}`, external_id: `ext-${i}`, doc_id: `doc-${i % 2}` },
    ...{ acl_groups: ['crew'], metadata: { tag: 'a', n: i }, source_uri: `s3://bucket/${i}` },
  }))
  const written = await app.call('POST', '/v1/ingest', { token, scope: '*', body: { units } })
  expect(written.status, JSON.stringify(written.body)).toBe(200)
  const { body: granted } = await app.call('GET', '/v1/grants', { token })
  const ids = written.body.units.map((unit: { unit_id: string }) => unit.unit_id)
  const grants = granted.grants.map((grant: { id: string }) => grant.id)
  return {
    keys: { unrestricted: [token], narrow: [narrow], agent: [agent], none: [undefined, 'svc_sk_test_nobody', ' '] },
    known: {
      ...{ unit_id: ids, ids, id: [...ids, ...grants, id('agent'), id('new')], external_id: ['ext-0', 'ext-1'] },
      ...{ doc_id: ['doc-0', 'doc-1'], scope: ['acme', 'acme/eng', 'other', 'new/one'], grant_id: grants },
      ...{ ns: [namespace, id('no-such')], namespace: [namespace, id('made')], groups: ['crew', '*'] },
      ...{ principal_id: [id('agent'), id('new')], q: ['lamp', 'harbour lamp'], parent: ['acme', 'other'] },
      ...{ source_uri: ['s3://bucket/1'], acl_groups: ['crew', '*'], acl_owner: [id('keeper'), id('agent')] },
      ...{ 'X-Svc-Scope': ['*', 'acme', 'acme/eng'], 'X-Svc-Namespace': [namespace], active_scope: ['*', 'acme'] },
    },
  }
}
