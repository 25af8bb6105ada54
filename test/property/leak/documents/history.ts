import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { superAdminToken, type TestApp } from '../../../support/boot.ts'
import { sendDocument } from '../../../support/documents/files.ts'
import { sourcesOf } from '../../../support/sources/uploads.ts'
import type { Draw } from '../../draw.ts'
import { drawContent, secretOf, toInput } from '../history.ts'
import { type Actor, covers, enter, type ModelUnit, View, type World } from '../model.ts'
import { drawModality, groupPool, planesIn, scopePool, vocabulary } from '../pools.ts'
import type { ModelDocument } from './model.ts'

/** A file, and what it makes. */
interface DrawnFile {
  extension: string
  bytes: string
  reason: ModelDocument['reason']
  units: ModelUnit[]
}

interface Target {
  namespace: string
  scope: string
  writer: Actor
}

/** Sends files of all kinds, some of them broken, and new versions of some; waits until each is ready or has failed. */
export async function addDocuments(app: TestApp, draw: Draw, world: World): Promise<void> {
  for (let i = 0; i < 2 + draw.upTo(3); i++) {
    const target = drawTarget(draw, world)
    if (!target) continue
    await send(app, draw, world, target, null)
  }
  for (const document of draw.some(world.documents, 3)) {
    const { namespace, scope, writer } = document
    const view = enter(world, { actor: writer, namespace, scope: '*' })
    if (document.state !== 'there' || !world.actors.includes(writer) || !(view instanceof View)) continue
    if (view.holds('write', scope)) await send(app, draw, world, document, document)
  }
}

function drawTarget(draw: Draw, world: World): Target | null {
  const { name: namespace, scopes } = draw.pick(world.namespaces)
  const writer = draw.pick(world.actors.filter(({ restrictions }) => Object.keys(restrictions).length === 0))
  const view = enter(world, { actor: writer, namespace, scope: '*' })
  if (!(view instanceof View)) return null
  const open = [...scopes.keys()].filter((scope) => view.holds('write', scope))
  return open.length === 0 || !view.passes('write') ? null : { namespace, scope: draw.pick(open), writer }
}

async function send(
  app: TestApp,
  draw: Draw,
  world: World,
  { namespace, scope, writer }: Target,
  known: ModelDocument | null,
): Promise<void> {
  const options = { token: writer.token, namespace, scope: '*' }
  const secret = secretOf(world)
  const mark = `nq${world.namespaces[0]?.name.replaceAll('-', 'n')}f${world.sent++}z`
  const docId = known?.docId ?? `file-${mark}`
  const groups = draw.chance(40) ? [] : [draw.pick(groupPool), ...draw.some(groupPool, 1)]
  const drawn = drawFile(draw, world, { namespace, scope, writer }, { docId, groups, secret, isNew: known === null })
  const name = `${mark}.${drawn.extension}`
  const sourceUri = await sourcesOf(app).upload(drawn.bytes, options, { name })
  const input = { sourceUri, name, scope, docId, aclGroups: groups }
  const reply = await sendDocument(app, input, options)
  expect(reply.body.errors).toBeUndefined()
  const { documentId } = reply.body.data.ingestDocument
  const { status, reason } = await settled(app, namespace, documentId)
  expect({ name, status, reason }).toEqual({ name, status: drawn.reason ? 'failed' : 'ready', reason: drawn.reason })

  const sent = { name, sourceUri, groups }
  const isLive = known?.units.some(({ state }) => state === 'live') === true
  const before = isLive ? known : null
  const document: ModelDocument = known ?? { ...{ namespace, scope, writer, docId }, ...blank, documentId, sent }
  expect(document.documentId).toBe(documentId)
  if (drawn.reason !== null) {
    // The words of what was refused are nowhere.
    world.overwritten.push(secret, ...drawn.units.map((unit) => unit.secret))
    Object.assign(document, { sent, found: before?.found ?? null, status: 'failed', reason })
  } else {
    for (const unit of document.units) unit.state = 'purged'
    // A line of JSONL is a Unit as it is given.
    const made = drawn.extension === 'txt' ? { sourceUri, metadata: { path: name } } : {}
    const units = drawn.units.map((unit) => ({ ...unit, ...made }))
    await setIds(app, namespace, units)
    world.units.push(...units)
    Object.assign(document, { sent, found: sent, status: 'ready', reason: null, units })
  }
  if (!known) world.documents.push(document)
}

const blank = { found: null, status: 'ready', reason: null, units: [], state: 'there' } as const

interface Facts {
  docId: string
  groups: readonly string[]
  secret: string
  isNew: boolean
}

function drawFile(draw: Draw, world: World, target: Target, facts: Facts): DrawnFile {
  const { docId, groups, secret, isNew } = facts
  // A version that fails, after one that others see, must stay unknown to them.
  if (draw.chance(isNew ? 15 : 45))
    return { extension: 'pdf', bytes: `%PDF-1.7\n${secret}`, reason: 'malformed', units: [] }
  if (draw.chance(10)) return { extension: 'txt', bytes: ' \n \n', reason: 'empty', units: [] }
  if (draw.chance(50)) {
    const words = [...draw.some(vocabulary, 4), secret]
    const unit = blankUnit(world, target, { secret, words, docId, groups })
    return { extension: 'txt', bytes: `${words.join(' ')}\n`, reason: null, units: [unit] }
  }
  return drawJsonl(draw, world, target, facts)
}

/** Lines of Units, each with its own scope, plane and readers. */
function drawJsonl(draw: Draw, world: World, target: Target, { docId, groups, secret }: Facts): DrawnFile {
  const { namespace: name, scope, writer } = target
  const namespace = world.namespaces.find((one) => one.name === name)
  const view = enter(world, { actor: writer, namespace: name, scope: '*' })
  if (!namespace || !(view instanceof View)) throw new Error(`${name} is gone`)
  const open = [...namespace.scopes.keys()].filter((path) => covers(scope, path) && view.holds('write', path))
  const units = Array.from({ length: 1 + draw.upTo(3) }, (_, i): ModelUnit => {
    const plane = draw.pick(planesIn(namespace, scope))
    const modality = drawModality(draw, plane)
    const content = drawContent(draw, world, `${secret}i${i}y`, writer, modality)
    const place = { scope: draw.pick(open.filter((path) => planesIn(namespace, path).includes(plane))), plane }
    // The text of the first line says that these lines are Units.
    const words = i === 0 && content.words.length === 0 ? [content.secret] : content.words
    return {
      ...blankUnit(world, target, { secret: content.secret, words, docId, groups }),
      ...content,
      words,
      ...place,
    }
  })
  const lines = units.map((unit) => JSON.stringify(toInput(unit, null)))
  const elsewhere = scopePool.filter((path) => !covers(scope, path) || !view.holds('write', path))
  const bad = draw.pick([
    [],
    [],
    [],
    ['not a Unit'],
    elsewhere.slice(0, 1).map((s) => JSON.stringify({ scope: s, text: secret })),
  ])
  const reason = bad.length === 0 ? null : bad[0] === 'not a Unit' ? 'malformed' : 'forbidden'
  const kept = units.map((unit) => ({ ...unit, docId: unit.docId ?? docId }))
  return { extension: 'jsonl', bytes: [...lines, ...bad].join('\n'), reason, units: kept }
}

const blankUnit = (
  { actors }: World,
  { namespace, scope, writer }: Target,
  facts: Pick<ModelUnit, 'secret' | 'words' | 'docId' | 'groups'>,
): ModelUnit => ({
  ...facts,
  ...{
    unitId: '',
    namespace,
    scope,
    plane: 'text',
    modality: 'chunk',
    externalId: null,
    sourceUri: null,
    metadata: {},
  },
  owner: writer.id,
  writer: actors.find((actor) => actor === writer) ?? writer,
  state: 'live',
})

/** Through the port: a writer without `read` sees no document. */
async function settled(app: TestApp, namespace: string, documentId: string) {
  const { catalog } = app.runtime.bindings
  const found = await catalog.access.namespace(namespace)
  for (;;) {
    const [record] = await catalog.transact(found?.namespace.id ?? '', (tx) => tx.ingested.get([documentId]))
    if (record?.status === 'ready' || record?.status === 'failed') return record
    await sleep(20)
  }
}

/** Waits for documents that are tried again. */
export async function settleAll(app: TestApp, documents: readonly ModelDocument[]): Promise<void> {
  for (const { namespace, documentId } of documents) await settled(app, namespace, documentId)
}

async function setIds(app: TestApp, namespace: string, units: readonly ModelUnit[]): Promise<void> {
  for (let cursor: number | null = 0; cursor !== null; ) {
    const options = { token: superAdminToken, namespace, scope: '*' }
    const { body } = await app.call('GET', `/v1/units?cursor=${cursor}`, options)
    for (const unit of units) {
      const has = (text: string | null) => text?.includes(unit.secret) === true
      const found = body.units.find((one: { text: string | null; source_uri: string | null }) =>
        unit.words.length > 0 ? has(one.text) : has(one.source_uri),
      )
      if (found) unit.unitId = found.unit_id
    }
    cursor = body.next_cursor
  }
  expect(units.filter(({ unitId }) => unitId === '')).toEqual([])
}
