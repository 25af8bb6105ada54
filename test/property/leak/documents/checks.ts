import { expect } from 'vitest'
import type { Reply, TestApp } from '../../../support/boot.ts'
import { sourcesOf } from '../../../support/sources/uploads.ts'
import { covers, enter, type ModelUnit, View, type World } from '../model.ts'
import { settleAll } from './history.ts'
import { deleteInModel, hasSource, type ModelDocument, seenDocuments, shownTo, viewWithin } from './model.ts'
import type { DocumentAsk } from './operations.ts'

/** The expected status of an operation on documents. */
export function documentStatus(view: View, ask: DocumentAsk): number {
  switch (ask.field) {
    case 'document':
      if (!view.passes('read')) return 403
      return seenDocuments(view).some(({ documentId }) => documentId === ask.id) ? 200 : 404
    case 'documents':
    case 'documentChanges':
      return viewWithin(view, ask.scope)?.passes('read') ? 200 : 403
    case 'sourceLink': {
      if (!view.passes('read')) return 403
      const unit = readableUnit(view, ask.unitId)
      return unit && hasSource(view.world, unit) ? 200 : 404
    }
    case 'ingestDocument': {
      const { scope } = ask
      if (!view.passesBelow('write', view.requested)) return 403
      if (!covers(view.requested, scope) || !view.holds('write', scope)) return 403
      // It names a source of someone else's.
      return 400
    }
    default:
      return view.passesBelow('write', view.requested) ? 200 : 403
  }
}

const readableUnit = (view: View, unitId: string): ModelUnit | undefined =>
  view.within.find((unit) => unit.unitId === unitId && view.mayRead(unit))

/** Compares an answer with what the view may be shown; a change is recorded in the model. */
export async function checkDocuments(app: TestApp, view: View, ask: DocumentAsk, { body }: Reply): Promise<void> {
  switch (ask.field) {
    case 'document':
      expectShown(view, [body], chosen(view, [ask.id]))
      break
    case 'documents': {
      const inside = viewWithin(view, ask.scope) as View
      const all = seenDocuments(inside).filter(
        (document) =>
          (ask.status === null || shownTo(inside, document).status === ask.status) &&
          (ask.docIds === null || ask.docIds.includes(document.docId)) &&
          (ask.docIdPrefix === null || document.docId.startsWith(ask.docIdPrefix)),
      )
      const end = ask.cursor + ask.limit
      expectShown(inside, body.documents, all.slice(ask.cursor, end))
      expect(body.nextCursor).toBe(all.length > end ? end : null)
      break
    }
    case 'documentChanges': {
      const inside = viewWithin(view, ask.scope) as View
      const all = seenDocuments(inside).filter(({ documentId }) => ask.ids.includes(documentId))
      expectShown(inside, body, all)
      break
    }
    case 'retryDocuments':
      await checkRetried(app, view, ask.ids, body)
      break
    case 'deleteDocuments': {
      const gone = deleteInModel(view, ask.ids, ask.hard)
      const counts = ask.hard ? { tombstoned: 0, purged: gone.length } : { tombstoned: gone.length, purged: 0 }
      expect(body).toMatchObject({ matched: gone.length, ...counts })
      break
    }
    case 'createUpload':
      expect(body.url).toMatch(/^\/uploads\/[0-9A-Za-z]{32}$/)
      break
    case 'sourceLink': {
      const unit = readableUnit(view, ask.unitId)
      const { status, bytes } = await sourcesOf(app).send('GET', body.url, null)
      expect(status).toBe(200)
      expect(`${bytes}`).toBe(`${unit?.words.join(' ')}\n`)
      if (unit) view.world.links.push({ url: body.url, actor: view.actor, unit })
      break
    }
    case 'ingestDocument':
      throw new Error('no request names a source of its own')
  }
}

/** In the order of the ids. */
const chosen = (view: View, ids: readonly string[]): ModelDocument[] =>
  ids.flatMap((id) => seenDocuments(view).find(({ documentId }) => documentId === id) ?? [])

function expectShown(view: View, told: readonly Reply['body'][], expected: readonly ModelDocument[]): void {
  expect(told.map(summaryOf)).toEqual(expected.map((document) => shownTo(view, document)))
}

const summaryOf = ({ documentId, docId, scope, name, sourceUri, status, reason, detail, ...rest }: Reply['body']) => ({
  ...{ documentId, docId, scope, name, sourceUri, status, reason },
  hasDetail: detail !== null,
  units: rest.units,
  aclGroups: [...rest.aclGroups].sort(),
})

/** What has failed fails again; until then it is queued. */
async function checkRetried(app: TestApp, view: View, ids: readonly string[], body: Reply['body']): Promise<void> {
  const documents = chosen(view, [...new Set(ids)])
  const isRetried = (document: ModelDocument) =>
    shownTo(view, document).status === 'failed' && view.holds('write', document.scope)
  const expected = documents.map((document) => ({
    ...shownTo(view, document),
    ...(isRetried(document) ? { status: 'again', reason: null, hasDetail: false } : {}),
  }))
  const told = body.map((one: Reply['body'], i: number) => {
    const isAgain = ['queued', 'running', 'failed'].includes(one.status)
    const retried = documents[i] && isRetried(documents[i]) && isAgain
    return { ...summaryOf(one), ...(retried ? { status: 'again', reason: null, hasDetail: false } : {}) }
  })
  expect(told).toEqual(expected)
  await settleAll(app, documents)
}

/** Each link that was made opens its source exactly as long as its maker may read the Unit. */
export async function checkLinks(app: TestApp, world: World): Promise<void> {
  for (const { url, actor, unit } of world.links) {
    const now = world.actors.find(({ token }) => token === actor.token)
    const view = now ? enter(world, { actor: now, namespace: unit.namespace, scope: '*' }) : 404
    const isOpen = view instanceof View && view.passes('read') && readableUnit(view, unit.unitId) === unit
    const { status } = await sourcesOf(app).send('GET', url, null)
    expect({ status, unit: unit.unitId, actor: actor.id }).toMatchObject({ status: isOpen ? 200 : 404 })
  }
}
