import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { createAccessReader } from '../../../src/adapters/catalog/sql/access.ts'
import { createUnitReader } from '../../../src/adapters/catalog/sql/read-units.ts'
import { sessionOf } from '../../../src/domain/access/gate.ts'
import { clausesOver } from '../../../src/domain/access/visibility.ts'
import type { Moment } from '../../../src/model/session.ts'
import { planes } from '../../../src/model/unit.ts'
import type { Visibility } from '../../../src/ports/catalog.ts'
import type { TestApp } from '../../support/boot.ts'
import type { Draw } from '../draw.ts'
import type { World } from '../restricted-keys/world.ts'

/** Hashes of tokens and ids of Units that were compared once: deleted ones are compared, too. */
export interface Compared {
  hashes: Set<string>
  unitIds: Set<string>
}

/** The reads of `app` that its memory and the database answer differently: one line for each. */
export async function differences(
  { actors, namespace }: World,
  draw: Draw,
  { hashes, unitIds }: Compared,
  app: TestApp,
): Promise<string[]> {
  const { clock } = app.runtime.bindings
  const catalog = app.runtime.bindings.catalog as PrismaCatalog
  const [access, units] = [createAccessReader(catalog.client), createUnitReader(catalog.client)]
  const found: string[] = []
  let asOf: Moment | undefined
  const compare = async (name: string, known: Promise<unknown>, stored: Promise<unknown>) => {
    const [is, shouldBe] = [canonical(await known), canonical(await stored)]
    if (is !== shouldBe) found.push(`${name}: ${is.slice(0, 300)} instead of ${shouldBe.slice(0, 300)}`)
  }

  const now = clock.now()
  for (const { id } of actors) {
    await compare(
      `membership of ${id}`,
      catalog.access.membership(id, namespace, now),
      access.membership(id, namespace, now),
    )
  }
  const ofActors = { principalId: { in: actors.map(({ id }) => id) } }
  for (const { hash } of await catalog.client.token.findMany({ where: ofActors })) hashes.add(hash)
  // What a server's token is, only the rights tell that are read with it.
  if (catalog.engine === 'pglite') {
    for (const hash of hashes) await compare('a token', catalog.access.token(hash), access.token(hash))
  }
  for (const { id } of actors) {
    for (const hash of hashes) {
      const token = async () => (await catalog.access.membership(id, namespace, now, hash))?.token
      const stored = async () => (await access.membership(id, namespace, now, hash))?.token
      if (catalog.engine === 'postgresql') await compare('a token', token(), stored())
    }
  }
  await compare('the namespace', catalog.access.namespace(namespace), access.namespace(namespace))

  for (const { unitId } of await catalog.client.unit.findMany({ where: { scope: { namespace: { name: namespace } } } }))
    unitIds.add(unitId)
  const ids = [...unitIds]
  for (const { id } of actors) {
    const session = await sessionOf({ catalog, clock, superAdminToken: undefined }, id, namespace, 'r')
    if (!session) continue
    asOf = session.facts.asOf
    const scopes = draw.some(session.scopesInReach('read'))
    const visibility: Visibility = {
      namespaceId: session.namespace.id,
      clauses: clausesOver(session, draw.chance(50) ? session.scopesInReach('read') : scopes),
      planes: draw.chance(70) ? planes : draw.some(planes),
      asOf,
    }
    await compare(`facts for ${id}`, catalog.units.searchFacts(visibility), units.searchFacts(visibility))
    await compare(`Units for ${id}`, byId(catalog.units.hydrate(visibility, ids)), byId(units.hydrate(visibility, ids)))
    await compare(
      `hidden from ${id}`,
      catalog.units.countHiddenAmong(visibility, ids),
      units.countHiddenAmong(visibility, ids),
    )
  }
  // Of requests that began before a scope was deleted.
  const scopes = await catalog.client.scope.findMany({ where: { namespace: { name: namespace } } })
  const everywhere: Visibility = {
    namespaceId: scopes[0]?.namespaceId ?? '',
    clauses: [{ reader: 'unlimited', scopeIds: scopes.map(({ id }) => id) }],
    planes,
    asOf,
  }
  await compare('all Units', byId(catalog.units.hydrate(everywhere, ids)), byId(units.hydrate(everywhere, ids)))
  return found
}

const byId = async (units: Promise<readonly { unitId: string }[]>) =>
  (await units).toSorted((a, b) => (a.unitId < b.unitId ? -1 : 1))

/** Without the moment, which only the memory knows. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (key, part) => (key === 'asOf' ? undefined : part)) ?? 'undefined'
