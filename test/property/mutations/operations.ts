import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Draw } from '../draw.ts'
import { holder, live, type Member, type ModelUnit, mayChange, mayRead, scopes, type World } from './world.ts'

const normal = (groups: readonly string[]) => [...new Set(groups)].sort()
export const drawGroups = (draw: Draw) => normal(draw.some(['red', 'blue', '*', 'nobody'], 2))
export const tags = ['x', 'y'] as const

/** Draws a Unit to send: often a known one, deleted or not, with or without a change. */
function drawSent(world: World, draw: Draw, member: Member): Omit<ModelUnit, 'id'> {
  const named = world.units.filter((unit) => unit.writer === member.id && unit.externalId !== null)
  if (named.length > 0 && draw.chance(60)) {
    const { id: _, ...known } = draw.pick(named)
    return { ...known, state: 'live', ...(draw.chance(40) ? { tag: draw.pick(tags) } : {}) }
  }
  return {
    scope: draw.pick(scopes),
    writer: member.id,
    externalId: draw.chance(75) ? draw.pick(['e1', 'e2']) : null,
    text: draw.pick(['tide low', 'tide high']),
    docId: draw.chance(50) ? draw.pick(['d1', 'd2']) : null,
    owner: draw.chance(70) ? member.id : draw.pick(world.members).id,
    groups: drawGroups(draw),
    tag: draw.pick(tags),
    state: 'live',
  }
}

/** Only its owner gives a Unit another owner or other groups. */
export const mayGive = (
  member: Member,
  { owner, groups }: ModelUnit,
  to: Pick<ModelUnit, 'owner' | 'groups'>,
): boolean => member.id === owner || (to.owner === owner && isDeepStrictEqual(to.groups, groups))

/** Sends one Unit; its external id may be new, known, or that of a deleted Unit. */
export async function ingestOne(world: World, draw: Draw): Promise<void> {
  const member = draw.pick(world.members)
  const sent = drawSent(world, draw, member)
  const body = {
    units: [
      {
        text: sent.text,
        acl_owner: sent.owner,
        acl_groups: sent.groups,
        metadata: { tag: sent.tag },
        ...(sent.externalId === null ? {} : { external_id: sent.externalId }),
        ...(sent.docId === null ? {} : { doc_id: sent.docId }),
      },
    ],
  }
  const reply = await world.app.call('POST', '/v1/ingest', { ...member.options, scope: sent.scope, body })
  if (!member.writes.includes(sent.scope)) {
    expect(reply.status).toBe(403)
    return
  }
  const before = holder(world, sent)
  if (before && !mayGive(member, before, sent)) {
    expect(reply.status).toBe(403)
    return
  }
  const isSame = before !== undefined && isDeepStrictEqual({ ...sent, id: before.id }, before)
  const status = before === undefined ? 'created' : isSame ? 'unchanged' : 'updated'
  const [result] = reply.body.units
  expect(result).toMatchObject({ status, ...(before ? { unit_id: before.id } : {}) })
  if (before) Object.assign(before, sent)
  else world.units.push({ ...sent, id: result.unit_id })
}

/** Any member tries to change any Unit. */
export async function updateOne(world: World, draw: Draw): Promise<void> {
  if (world.units.length === 0) return
  const [member, unit] = [draw.pick(world.members), draw.pick(world.units)]
  const changes = {
    ...(draw.chance(30) ? { owner: draw.pick(world.members).id } : {}),
    ...(draw.chance(60) ? { groups: drawGroups(draw) } : {}),
    ...(draw.chance(40) ? { tag: draw.pick(tags) } : {}),
  }
  const { owner, groups, tag } = changes
  const input = {
    ...(owner ? { aclOwner: owner } : {}),
    ...(groups ? { aclGroups: groups } : {}),
    ...(tag ? { metadata: { tag } } : {}),
  }
  const { data, error } = await world.run.updateUnit(unit.id, input, member.options)
  if (Object.keys(input).length === 0) {
    expect(error?.status).toBe(400)
  } else if (unit.state !== 'live' || !mayChange(member, unit)) {
    expect(error?.status).toBe(404)
  } else if (!mayGive(member, unit, { ...unit, ...changes })) {
    expect(error?.status).toBe(403)
  } else {
    Object.assign(unit, changes)
    expect(data.indexed).toBe(true)
    if (!mayRead(member, unit)) expect(data.unit).toBeNull()
    else {
      const { owner: aclOwner, groups: aclGroups } = unit
      expect(data.unit).toMatchObject({ unitId: unit.id, aclOwner, aclGroups, metadata: { tag: unit.tag } })
    }
  }
}

export async function deleteSome(world: World, draw: Draw): Promise<void> {
  const member = draw.pick(world.members)
  const hard = draw.chance(20)
  const chosen = draw.some(hard ? world.units : live(world), hard ? 1 : 4)
  if (chosen.length === 0) return
  const body = { ids: chosen.map((unit) => unit.id), hard }
  const reply = await world.app.call('POST', '/v1/units:delete', { ...member.options, body })
  const states = hard ? ['live', 'tombstoned'] : ['live']
  const gone = chosen.filter((unit) => states.includes(unit.state) && mayChange(member, unit))
  expect(reply.body).toMatchObject({ matched: gone.length })
  for (const unit of gone) unit.state = hard ? 'purged' : 'tombstoned'
}

export async function restoreSome(world: World, draw: Draw): Promise<void> {
  const member = draw.pick(world.members)
  const deleted = world.units.filter((unit) => unit.state === 'tombstoned')
  const chosen = [...new Set([...draw.some(deleted, 3), ...draw.some(world.units, 2)])]
  if (chosen.length === 0) return
  const { data, error } = await world.run.restoreUnits(
    chosen.map((unit) => unit.id),
    member.options,
  )
  const back = comingBack(world, member, chosen)
  if (back === null) {
    expect(error?.status).toBe(400)
    return
  }
  const there = chosen.filter((unit) => unit.state === 'live' && mayChange(member, unit))
  expect(data).toMatchObject({ matched: there.length + back.length, restored: back.length, indexed: true })
  for (const unit of back) unit.state = 'live'
}

/** Null if the external id belongs to a live Unit that the member may read, or to two of the chosen Units. */
function comingBack(world: World, member: Member, chosen: readonly ModelUnit[]): ModelUnit[] | null {
  const deleted = chosen.filter((unit) => unit.state === 'tombstoned' && mayChange(member, unit))
  const holders = deleted.flatMap((unit) => holder(world, unit) ?? [])
  if (holders.some((unit) => mayRead(member, unit))) return null
  const back = deleted.filter((unit) => !holder(world, unit))
  const keys = back.flatMap(({ scope, writer, externalId }) =>
    externalId === null ? [] : JSON.stringify([scope, writer, externalId]),
  )
  return new Set(keys).size < keys.length ? null : back
}
