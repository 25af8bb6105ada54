import { expect } from 'vitest'
import type { Reply, TestApp } from '../../support/boot.ts'
import { checkDocuments, documentStatus } from './documents/checks.ts'
import { openMarks, removeEmptied } from './documents/model.ts'
import { hasMetadata, isFiltered, withoutOwn } from './filters.ts'
import { covers, enter, type ModelUnit, View, type World } from './model.ts'
import { ask, type DeleteBody, type Operation } from './operations.ts'
import type { Request } from './requests.ts'
import {
  asShown,
  checkCitations,
  checkSearch,
  checkTrace,
  type Share,
  shareLetters,
  shareWords,
} from './search-checks.ts'
import { closedMarks, expectUnknownAlike } from './secrecy.ts'
import { checkDocs, checkFacets } from './sums.ts'

type Answer = Reply & { text: string }

/** Sends a request, and compares the answer with the model's prediction. */
export async function checkRequest(app: TestApp, world: World, request: Request): Promise<Answer> {
  const { actor, namespace, operation } = request
  const inBody = operation.kind === 'search' ? operation.body.scope : undefined
  const scope = request.scopeHeader ?? request.scopeQuery ?? inBody
  const view = enter(world, { actor, namespace, scope })
  const expected = typeof view === 'number' ? view : statusOf(view, request)
  const reply = await ask(app, operation, request)
  const status = expected ?? reply.status
  const open = view instanceof View ? view.within.filter((unit) => view.mayRead(unit)) : []
  const readable = status === 200 ? open : []
  try {
    expect(reply.status).toBe(status)
    const marks = view instanceof View ? openMarks(view) : []
    const closed = closedMarks(world, open, marks)
    // An error names nothing.
    const unsaid = status === 200 ? closed : closedMarks(world, [], [])
    const text = withoutEcho(operation, reply.text)
    expect(unsaid.filter((mark) => text.includes(mark))).toEqual([])
    if (status !== 200) expectError(reply, status)
    await expectUnknownAlike(app, request, reply, closed)
    // Only the embedded index matches parts of words.
    const share = app.runtime.bindings.texts.engine === 'embedded' ? shareLetters : shareWords
    if (view instanceof View && status === 200) await checkAnswer(app, view, request, readable, reply, share)
  } catch (error) {
    throw new Error(`${error}\n${describe(world, request, reply)}`, { cause: error })
  }
  return reply
}

/** Null for a query that the model does not know. */
function statusOf(view: View, { door, operation }: Request): number | null {
  if (door === 'mcp' && !view.mayConnect) return 403
  switch (operation.kind) {
    case 'context':
    case 'namespaces':
    case 'scopes':
      return 200
    case 'scope':
      return view.visibleScopes.includes(operation.scope) ? 200 : 404
    case 'unit': {
      if (!view.passes('read')) return 403
      return view.within.some((unit) => unit.unitId === operation.id && view.mayRead(unit)) ? 200 : 404
    }
    case 'docs':
    case 'facets':
    case 'units':
      return view.passes('read') ? 200 : 403
    case 'search': {
      if (!view.passes('read')) return 403
      return operation.body.answer && view.namespace.tier === 'free' ? 402 : 200
    }
    case 'any':
      return null
    case 'files':
      return documentStatus(view, operation.ask)
    case 'delete': {
      const within = operation.body.filter?.scope
      if (door === 'mcp' && !view.isOfferedWrites) return 403
      if (!view.passesBelow('write', view.requested)) return 403
      if (within === undefined) return 200
      return covers(view.requested, within) && view.passesBelow('write', within) ? 200 : 403
    }
  }
}

async function checkAnswer(
  app: TestApp,
  view: View,
  { door, operation }: Request,
  readable: readonly ModelUnit[],
  reply: Answer,
  share: Share,
): Promise<void> {
  const isTool = door === 'mcp'
  const { body } = reply
  switch (operation.kind) {
    case 'context':
      checkContext(view, body)
      break
    case 'namespaces': {
      const { actor, world } = view
      const names: string[] = body.namespaces.map((n: { namespace: string }) => n.namespace)
      const mine = new Set([actor.home, ...actor.grants.map((grant) => grant.namespace)])
      // Over GraphQL it is a page: of all the namespaces, the super-admin may need several.
      const isWhole = (body.next_cursor ?? null) === null
      const known = world.namespaces.map((n) => n.name)
      if (!actor.superAdmin) expect(names).toEqual([...mine].sort())
      else if (isWhole) expect(names).toEqual(expect.arrayContaining(known))
      if (isWhole) expect(body.count ?? names.length).toBe(names.length)
      break
    }
    case 'scopes':
      expect(body.scopes.map((s: { scope: string }) => s.scope).sort()).toEqual(view.visibleScopes.sort())
      expect(body.count ?? body.scopes.length).toBe(view.visibleScopes.length)
      break
    case 'scope':
      expect(body).toMatchObject({ scope: operation.scope, namespace: view.namespace.name })
      break
    case 'unit': {
      const unit = readable.find((u) => u.unitId === operation.id)
      const shown = isTool ? asShown : asOwned
      expect(body).toMatchObject(unit ? shown(unit) : {})
      break
    }
    case 'units': {
      const { limit, cursor } = operation
      const end = (cursor ?? 0) + (limit ?? 100)
      if (isTool) {
        const uris = readable.slice(cursor ?? 0, end).map(({ unitId }) => `svc://units/${unitId}`)
        expect(body.resources.map(({ uri }: { uri: string }) => uri)).toEqual(uris)
        expect(body.nextCursor).toBe(readable.length > end ? `${end}` : undefined)
        break
      }
      expect(body.units).toMatchObject(readable.slice(cursor ?? 0, end).map(asOwned))
      expect(body.hidden_by_acl).toBe(view.within.length - readable.length)
      expect(body.next_cursor).toBe(readable.length > end ? end : null)
      checkContext(view, body.context)
      break
    }
    case 'search':
      checkSearch(view, operation.body, readable, body, share)
      checkCitations(operation.body, body)
      if (isTool) break
      checkTrace(body)
      checkContext(view, body.context)
      break
    case 'docs':
      checkDocs(readable, (unit) => isFiltered(operation.filters, unit), operation, body)
      checkContext(view, body.context)
      break
    case 'facets':
      checkFacets(readable, (unit, except) => isFiltered(withoutOwn(operation.filters, except), unit), body)
      checkContext(view, body.context)
      break
    case 'delete':
      checkDelete(view, operation.body, body)
      break
    case 'files':
      await checkDocuments(app, view, operation.ask, reply)
      break
  }
}

function checkContext(view: View, body: Reply['body']): void {
  const { actor, requested, visibleScopes, namespace } = view
  const home = actor.home === namespace.name ? actor.activeScope : '*'
  const isAllowed =
    requested !== '*' && (['read', 'write', 'admin'] as const).some((perm) => view.holds(perm, requested))
  expect(body).toMatchObject({
    principal: { principal_id: actor.id, read_only: actor.readOnly },
    active_scope: isAllowed ? requested : home,
    requested_scope: requested,
    perms: view.perms,
    folders_visible: visibleScopes.length,
    folders_total: namespace.scopes.size,
  })
  expect([...body.effective_scopes].sort()).toEqual(view.effectiveScopes.sort())
  expect([...body.allowed_scopes].sort()).toEqual(visibleScopes.sort())
  if (!actor.superAdmin) expect(new Set(body.principal.groups)).toEqual(new Set(view.groupsAt(requested)))
}

function checkDelete(view: View, { ids, filter = {}, hard = false }: DeleteBody, body: Reply['body']): void {
  const { scope, doc_id, external_id, source_uri, modality, plane, metadata } = filter
  const gone = view.world.units.filter(
    (unit) =>
      view.mayDelete(unit, hard) &&
      ids?.includes(unit.unitId) !== false &&
      (scope === undefined || covers(scope, unit.scope)) &&
      [doc_id, unit.docId].every((value) => doc_id === undefined || value === doc_id) &&
      (external_id === undefined || unit.externalId === external_id) &&
      (source_uri === undefined || unit.sourceUri === source_uri) &&
      (modality === undefined || unit.modality === modality) &&
      (plane === undefined || unit.plane === plane) &&
      hasMetadata(metadata, unit),
  )
  const counts = { tombstoned: hard ? 0 : gone.length, purged: hard ? gone.length : 0 }
  expect(body).toMatchObject({ matched: gone.length, ...counts })
  // A document's sources go with its last Unit: that of the version found, and that of one sent since.
  const emptied = view.world.documents.filter(({ units }) => hard && units.some((unit) => gone.includes(unit)))
  expect(body.sources_purged).toBeLessThanOrEqual(2 * emptied.length)
  for (const unit of gone) unit.state = hard ? 'purged' : 'tombstoned'
  removeEmptied(view.world)
}

const asOwned = (unit: ModelUnit) => ({
  ...asShown(unit),
  acl_owner: unit.owner,
  acl_groups: [...new Set(unit.groups)].sort(),
})

/** The trace of an answer repeats the caller's own question, whatever words it has. */
const withoutEcho = (operation: Operation, text: string): string =>
  operation.kind === 'search'
    ? text.replace(/"query":"([^"]*)"/g, (whole, said: string) => (operation.body.q.includes(said) ? '' : whole))
    : text

function expectError({ body }: Answer, status: number): void {
  const codes: Record<number, string> = {
    400: 'bad_request',
    401: 'unauthorized',
    402: 'upgrade_required',
    403: 'forbidden',
    404: 'not_found',
  }
  const { required_tier, ...rest } = body
  expect(rest).toEqual({ error: codes[status], detail: expect.any(String), status })
  if (status !== 402) expect(required_tier).toBeUndefined()
}

function describe(world: World, { actor, operation, ...request }: Request, reply: Answer): string {
  const namespaces = world.namespaces.map(({ scopes, ...rest }) => ({ ...rest, scopes: Object.fromEntries(scopes) }))
  const units = world.units.map(({ writer, words, metadata, ...unit }) => ({ ...unit, writer: writer.id }))
  const lines = {
    request: { ...request, token: request.token === undefined ? 'none' : 'sent' },
    operation,
    actor: actor && { ...actor, token: '' },
    namespaces,
    status: reply.status,
    answer: reply.text.slice(0, 3000),
  }
  const told = Object.entries(lines).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return [...told, 'units:', ...units.map((unit) => `  ${JSON.stringify(unit)}`)].join('\n')
}
