import { expect } from 'vitest'
import { planes } from '../../../src/model/unit.ts'
import { superAdminToken, type TestApp } from '../../support/boot.ts'
import type { Draw } from '../draw.ts'
import { removeEmptied } from './documents/model.ts'
import { type Actor, covers, enter, type ModelUnit, type World } from './model.ts'
import { drawModality, groupPool, planesIn, scopePool, vocabulary } from './pools.ts'

type Content = Omit<ModelUnit, 'unitId' | 'namespace' | 'scope' | 'plane' | 'writer' | 'state' | 'externalId'>

/** A word that occurs in only one Unit; no such word is part of another. */
export const secretOf = (world: World) => `zq${world.namespaces[0]?.name.replaceAll('-', 'n')}u${count(world)}x`
const count = (world: World) => world.units.length + world.overwritten.length

/** An external id that several writers use. */
export const sharedId = 'ext-shared'

export function drawContent(
  draw: Draw,
  world: World,
  secret: string,
  writer: Actor,
  modality: ModelUnit['modality'],
): Content {
  const owners = [...world.actors.map((a) => a.id), 'stranger', '*']
  const hasText = draw.chance(85)
  return {
    modality,
    secret,
    words: hasText ? [...draw.some(vocabulary, 4), secret] : [],
    owner: draw.chance(30) ? writer.id : draw.pick(owners),
    groups: draw.chance(30)
      ? []
      : [draw.pick(groupPool), ...draw.some([...groupPool, ...world.actors.map((a) => a.id)], 2)],
    docId: draw.chance(50) ? draw.pick(['doc-1', 'doc-2', `doc-${secret}`]) : null,
    sourceUri: !hasText || draw.chance(20) ? `s3://bucket/${secret}` : drawForeignSource(draw, world, writer),
    metadata: { tag: draw.pick(['a', 'b', 'c']), ...(draw.chance(20) ? { note: secret } : {}) },
  }
}

/** To name what someone else uploaded is allowed, and opens nothing. */
function drawForeignSource(draw: Draw, { documents }: World, writer: Actor): string | null {
  const foreign = documents.filter((document) => document.writer.id !== writer.id)
  return foreign.length > 0 && draw.chance(20) ? draw.pick(foreign).sent.sourceUri : null
}

export function toInput(unit: ModelUnit, vector: readonly number[] | null) {
  return {
    scope: unit.scope,
    modality: unit.modality,
    plane: unit.plane,
    ...(unit.words.length > 0 ? { text: unit.words.join(' ') } : {}),
    ...(unit.sourceUri === null ? {} : { source_uri: unit.sourceUri }),
    ...(unit.docId === null ? {} : { doc_id: unit.docId }),
    ...(unit.externalId === null ? {} : { external_id: unit.externalId }),
    // Default: the writer.
    ...(unit.owner === unit.writer.id ? {} : { acl_owner: unit.owner }),
    acl_groups: unit.groups,
    metadata: unit.metadata,
    ...(vector ? { vector } : {}),
  }
}

const drawVector = (draw: Draw) => (draw.chance(20) ? [1, draw.upTo(9), draw.upTo(9)] : null)

/** Ingests a batch of Units by a principal with write permission. A deleted path becomes a new scope. */
export async function addUnits(app: TestApp, draw: Draw, world: World): Promise<void> {
  const namespace = draw.pick(world.namespaces)
  const writer = draw.pick(world.actors.filter(({ restrictions }) => Object.keys(restrictions).length === 0))
  const view = enter(world, { actor: writer, namespace: namespace.name, scope: '*' })
  if (typeof view === 'number') return
  const open = [...new Set([...namespace.scopes.keys(), draw.pick(scopePool)])].filter((s) => view.holds('write', s))
  if (open.length === 0 || !view.passes('write')) return
  const batch: ModelUnit[] = []
  const size = 2 + draw.upTo(6)
  for (let i = 0; i < size; i++) {
    const scope = draw.pick(open)
    const plane = draw.pick(planesIn(namespace, scope))
    if (!namespace.scopes.has(scope)) namespace.scopes.set(scope, { planes, readOnlyAgents: false })
    const secret = secretOf(world)
    // Another writer may use the same external id, but each writer uses it only once.
    const used = world.units.some((u) => u.writer.id === writer.id && u.externalId === sharedId)
    const unit: ModelUnit = {
      ...drawContent(draw, world, secret, writer, drawModality(draw, plane)),
      unitId: '',
      namespace: namespace.name,
      scope,
      plane,
      writer,
      externalId: draw.chance(50)
        ? used || draw.chance(50)
          ? `ext-${world.units.length}-${namespace.name}`
          : sharedId
        : null,
      state: 'live',
    }
    world.units.push(unit)
    batch.push(unit)
  }
  await ingest(app, draw, writer, batch, 'created')
}

async function ingest(app: TestApp, draw: Draw, writer: Actor, batch: readonly ModelUnit[], status: string) {
  const reply = await app.call('POST', '/v1/ingest', {
    token: writer.token,
    namespace: batch[0]?.namespace ?? '',
    scope: '*',
    body: { units: batch.map((unit) => toInput(unit, drawVector(draw))) },
  })
  expect(reply.body).toMatchObject({ indexed: true, units: batch.map(() => ({ status })) })
  for (const [i, unit] of batch.entries()) unit.unitId = reply.body.units[i].unit_id
}

/** Sends some external ids again: the Unit keeps its id and position, but its readers may change. */
export async function updateUnits(app: TestApp, draw: Draw, world: World): Promise<void> {
  const known = world.units.filter((unit) => unit.externalId !== null)
  for (const unit of draw.some(known, 4)) {
    const view = enter(world, { actor: unit.writer, namespace: unit.namespace, scope: '*' })
    if (typeof view === 'number' || !view.holds('write', unit.scope)) continue
    const secret = secretOf(world)
    world.overwritten.push(unit.secret)
    const { unitId, owner, groups } = unit
    const content = drawContent(draw, world, secret, unit.writer, unit.modality)
    // Only its owner and admin principals change who reads it.
    const isOwn = owner === unit.writer.id || view.holds('admin', '*')
    Object.assign(unit, content, !isOwn && { owner, groups })
    await ingest(app, draw, unit.writer, [unit], 'updated')
    expect(unit.unitId).toBe(unitId)
  }
}

/** Deletes some Units, some of them hard; the super-admin may delete any Unit. */
export async function deleteUnits(app: TestApp, draw: Draw, world: World): Promise<void> {
  for (const { name } of world.namespaces) {
    const here = world.units.filter((unit) => unit.namespace === name)
    for (const hard of [false, true]) {
      const gone = draw.some(here, 3)
      if (gone.length === 0) continue
      const matched = gone.filter(({ state }) => state === 'live' || (hard && state === 'tombstoned')).length
      const body = { ids: gone.map((unit) => unit.unitId), hard }
      const options = { token: superAdminToken, namespace: name, scope: '*', body }
      const reply = await app.call('POST', '/v1/units:delete', options)
      expect(reply.body).toMatchObject({ matched, [hard ? 'purged' : 'tombstoned']: matched })
      for (const unit of gone) if (unit.state === 'live' || hard) unit.state = hard ? 'purged' : 'tombstoned'
    }
  }
  removeEmptied(world)
}

/** Deletes a scope's subtree, with its Units and the grants on it. */
export async function deleteScopes(app: TestApp, draw: Draw, world: World): Promise<void> {
  for (const { name, scopes } of world.namespaces) {
    if (scopes.size === 0 || !draw.chance(40)) continue
    const path = draw.pick([...scopes.keys()])
    const options = { token: superAdminToken, namespace: name }
    const reply = await app.call('DELETE', `/v1/scopes/${encodeURIComponent(path)}`, options)
    const within = [...scopes.keys()].filter((scope) => covers(path, scope))
    const onIt = ({ namespace, scope }: { namespace: string; scope: string }) =>
      namespace === name && scope !== '*' && covers(path, scope)
    const grants = world.actors.flatMap((actor) => actor.grants.filter(onIt))
    expect(reply.body).toEqual({ deleted: true, scopes: within.length, grants: grants.length })
    for (const scope of within) scopes.delete(scope)
    for (const actor of world.actors) actor.grants = actor.grants.filter((grant) => !onIt(grant))
    for (const unit of world.units) {
      if (unit.namespace === name && covers(path, unit.scope) && unit.state !== 'purged') unit.state = 'lost'
    }
    for (const document of world.documents) {
      if (document.namespace === name && covers(path, document.scope)) document.state = 'lost'
    }
  }
}
