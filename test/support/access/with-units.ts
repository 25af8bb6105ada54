import { expect } from 'vitest'
import type { TestApp } from '../boot.ts'

/**
 * Creates a namespace with these Units in scope `a`, which everyone who reads there may see unless they say otherwise.
 * Returns the token of their writer, and their ids in the order given.
 */
export async function withUnits(
  app: TestApp,
  name: string,
  units: readonly { text: string; acl_groups?: readonly string[] }[],
): Promise<{ token: string; ids: string[] }> {
  const token = await app.principal({ id: `keeper-${name}`, namespace: name })
  const body = { units: units.map((unit) => ({ acl_groups: ['*'], ...unit })) }
  const reply = await app.call('POST', '/v1/ingest', { token, scope: 'a', body })
  expect(reply.body).toMatchObject({ indexed: true })
  return { token, ids: reply.body.units.map((unit: { unit_id: string }) => unit.unit_id) }
}

/** The same; returns the token of a principal that only reads there. */
export async function readerOfUnits(...[app, name, units]: Parameters<typeof withUnits>): Promise<string> {
  await withUnits(app, name, units)
  return app.principal({ id: `reader-${name}`, namespace: name, grants: [{ scope: 'a', perms: ['read'] }] })
}
