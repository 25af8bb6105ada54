import { expect } from 'vitest'
import { ingestFile, sendDocument, settled, upload } from '../../support/documents/files.ts'
import type { Draw } from '../draw.ts'
import { drawGroups, mayGive, tags } from './operations.ts'
import { type Member, type ModelUnit, mayChange, mayRead, scopes, type World } from './world.ts'

/** A file that was taken in, with its only Unit. It goes when the Unit is purged. */
export interface ModelFile {
  documentId: string
  name: string
  scope: string
  writer: string
  text: string
  groups: readonly string[]
  tag: string
  unit: ModelUnit
}

/** Sends a file: a new one, the same again, or one with other readers, another tag or another text. */
export async function sendFile(world: World, draw: Draw): Promise<void> {
  const { app } = world
  const [member, scope] = [draw.pick(world.members), draw.pick(scopes)]
  const { token = '' } = member.options
  const [name, text] = [draw.pick(['f1.txt', 'f2.txt']), draw.pick(['tide low', 'tide high'])]
  const options = { groups: drawGroups(draw), tag: draw.pick(tags) }
  const more = { scope, aclGroups: options.groups, metadata: { tag: options.tag } }
  const known = world.files.find(
    (file) => file.name === name && file.scope === scope && file.writer === member.id && file.unit.state !== 'purged',
  )
  const isSame = known?.unit.state === 'live' && known.text === text
  const { groups } = options
  const isGiven = isSame && `${known.groups}` !== `${groups}` && !mayGive(member, known.unit, { ...known.unit, groups })
  if (!member.writes.includes(scope) || isGiven) {
    const sourceUri = await upload(app, token, text)
    const { body } = await sendDocument(app, { sourceUri, name, ...more }, { token })
    expect(body.errors[0].extensions.status).toBe(403)
    return
  }
  const { documentId } = await ingestFile(app, token, name, text, more)
  expect(await settled(app, token, documentId)).toMatchObject({ status: 'ready', name })
  if (known) expect(known.documentId).toBe(documentId)
  if (isSame) {
    // The Unit is changed in place, but for another owner's readers. What was sent before changes nothing, whatever the Unit
    // has become since.
    if (`${known.groups}` !== `${groups}` || known.tag !== options.tag) {
      Object.assign(known.unit, { tag: options.tag }, known.unit.owner === member.id && { groups })
    }
    Object.assign(known, options)
    return
  }
  if (known) known.unit.state = 'purged'
  const place = { scope, writer: member.id, owner: member.id, docId: name, externalId: null, text }
  const unit: ModelUnit = { id: await newUnitOf(world, scope, name), ...place, ...options, state: 'live' }
  world.units.push(unit)
  if (known) Object.assign(known, { text, ...options, unit })
  else world.files.push({ documentId, name, scope, writer: member.id, text, ...options, unit })
}

/** The Unit that the model does not have yet. */
async function newUnitOf(world: World, scope: string, name: string): Promise<string> {
  const { body } = await world.app.call('GET', '/v1/units?limit=100', world.superAdmin)
  const known = new Set(world.units.map(({ id }) => id))
  const fresh = body.units.filter((unit: { unit_id: string }) => !known.has(unit.unit_id))
  expect(fresh).toMatchObject([{ scope, doc_id: name }])
  return fresh[0].unit_id
}

/** Any member tries to delete any files. */
export async function deleteFiles(world: World, draw: Draw): Promise<void> {
  const [member, hard] = [draw.pick(world.members), draw.chance(40)]
  const chosen = draw.some(world.files, 2)
  if (chosen.length === 0) return
  const query = `mutation ($ids: [String!]!, $hard: Boolean!) {
    deleteDocuments(documentIds: $ids, hard: $hard) { matched tombstoned purged } }`
  const ids = chosen.map(({ documentId }) => documentId)
  const { body } = await world.app.graphql(query, { ids, hard }, member.options)
  const gone = chosen.filter((file) => isDeleted(member, file, hard)).map(({ unit }) => unit)
  const counts = { tombstoned: hard ? 0 : gone.length, purged: hard ? gone.length : 0 }
  expect(body.data.deleteDocuments).toEqual({ matched: gone.length, ...counts })
  for (const unit of gone) unit.state = hard ? 'purged' : 'tombstoned'
}

/** The document is seen, or the member's own; and the member may change its Unit. */
function isDeleted(member: Member, { writer, unit }: ModelFile, hard: boolean): boolean {
  const isSeen = unit.state === 'live' && (writer === member.id || mayRead(member, unit))
  const isOwn = hard && writer === member.id && unit.state !== 'purged'
  return (isSeen || isOwn) && mayChange(member, unit)
}
