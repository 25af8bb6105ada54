import { expect } from 'vitest'
import type { Metadata } from '../../../src/model/unit.ts'
import type { Reply, TestApp } from '../../support/boot.ts'
import { covers, enter, type ModelUnit, View, type World } from './model.ts'
import { ask, type DeleteBody, type SearchBody } from './operations.ts'
import { type Request, unknownId } from './requests.ts'

type Answer = Reply & { text: string }

/** Sends a request, and compares the answer with the model's prediction. */
export async function checkRequest(app: TestApp, world: World, request: Request): Promise<Answer> {
  const { actor, namespace, operation } = request
  const inBody = operation.kind === 'search' ? operation.body.scope : undefined
  const scope = request.scopeHeader ?? request.scopeQuery ?? inBody
  const view = enter(world, { actor, namespace, scope })
  const status = typeof view === 'number' ? view : statusOf(view, request)
  const readable = view instanceof View && status === 200 ? view.within.filter((unit) => view.mayRead(unit)) : []
  const reply = await ask(app, operation, request)
  try {
    expect(reply.status).toBe(status)
    expectNothingOf(world, readable, reply.text)
    if (status !== 200) expectError(reply, status)
    if (status === 404 && operation.kind === 'unit') {
      const unknown = await ask(app, { kind: 'unit', id: unknownId }, request)
      expect(reply.text).toBe(unknown.text)
    }
    // Only the embedded index matches parts of words.
    const share = app.runtime.bindings.texts.engine === 'embedded' ? shareLetters : shareWords
    if (view instanceof View && status === 200) checkAnswer(view, request, readable, reply, share)
  } catch (error) {
    throw new Error(`${error}\n${describe(world, request, reply)}`, { cause: error })
  }
  return reply
}

function statusOf(view: View, { operation }: Request): number {
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
    case 'units':
      return view.passes('read') ? 200 : 403
    case 'search': {
      if (!view.passes('read')) return 403
      return operation.body.answer && view.namespace.tier === 'free' ? 402 : 200
    }
    case 'delete': {
      const within = operation.body.filter?.scope
      if (!view.passesBelow('write', view.requested)) return 403
      if (within === undefined) return 200
      return covers(view.requested, within) && view.passesBelow('write', within) ? 200 : 403
    }
  }
}

function checkAnswer(
  view: View,
  { operation }: Request,
  readable: readonly ModelUnit[],
  { body }: Answer,
  share: Share,
): void {
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
      expect(body).toMatchObject(unit ? asOwned(unit) : {})
      break
    }
    case 'units': {
      const { limit, cursor } = operation
      const end = (cursor ?? 0) + (limit ?? 100)
      expect(body.units).toMatchObject(readable.slice(cursor ?? 0, end).map(asOwned))
      expect(body.hidden_by_acl).toBe(view.within.length - readable.length)
      expect(body.next_cursor).toBe(readable.length > end ? end : null)
      checkContext(view, body.context)
      break
    }
    case 'search':
      checkSearch(view, operation.body, readable, body, share)
      checkCitations(operation.body, body)
      checkContext(view, body.context)
      break
    case 'delete':
      checkDelete(view, operation.body, body)
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

function checkSearch(
  view: View,
  query: SearchBody,
  readable: readonly ModelUnit[],
  body: Reply['body'],
  share: Share,
): void {
  const topK = query.top_k ?? 10
  const open = view.planes.filter((plane) => query.planes?.includes(plane) !== false)
  const inPlanes = view.within.filter((unit) => open.includes(unit.plane))
  const eligible = inPlanes.filter((unit) => isFiltered(query.filters ?? {}, unit))
  const words = query.q.split(' ').filter((word) => word !== '')
  const matching = eligible.filter((unit) => query.q === '' || share(unit.words, words))
  const visible = matching.filter((unit) => readable.includes(unit)).map((unit) => unit.unitId)
  const found: string[] = body.hits.map((hit: { unit_id: string }) => hit.unit_id)

  // After the first ten hits, and for a reranker, a search also returns texts that resemble the best hits.
  const isExpanded = topK > 10 || query.rerank === true

  expect(body.trace.degraded).toEqual([])
  for (const clamped of body.trace.clamped_planes) expect(body.trace.planes).not.toContain(clamped)
  expect(found.length).toBeLessThanOrEqual(topK)
  expect(new Set(found).size).toBe(found.length)
  for (const hit of body.hits) {
    const unit = eligible.find((u) => u.unitId === hit.unit_id && readable.includes(u))
    expect(unit, `${hit.unit_id} is not a hit`).toBeDefined()
    if (unit) expect(hit).toMatchObject(asShown(unit))
    // The match is with the current words or letters, not with those before an update or deletion.
    const byText = hit.explain.some(({ leg }: { leg: string }) => leg === 'text')
    if (byText && !isExpanded) expect(visible).toContain(hit.unit_id)
  }
  // A vector also ranks Units without these letters, and `min_score` omits some that have them.
  const byWordsAlone = query.vector === undefined && query.min_score === undefined
  if (byWordsAlone && visible.length <= topK) expect(found).toEqual(expect.arrayContaining(visible))
  else if (byWordsAlone && !isExpanded) expect(visible).toEqual(expect.arrayContaining(found))

  const hidden = eligible.filter((unit) => !readable.includes(unit)).length
  const hiddenMatches = matching.length - visible.length
  expect(body.hidden_by_acl).toBeLessThanOrEqual(Math.min(topK, hidden))
  if (byWordsAlone && matching.length <= topK) expect(body.hidden_by_acl).toBeGreaterThanOrEqual(hiddenMatches)
}

/** An answer quotes only hits, word for word. */
function checkCitations({ answer }: SearchBody, body: Reply['body']): void {
  expect(body.answer !== null).toBe(answer === true)
  if (body.answer === null) return
  for (const { unit_id, quote, start, end } of body.answer.citations) {
    const hit = body.hits.find((h: { unit_id: string }) => h.unit_id === unit_id)
    expect(hit?.text.slice(start, end)).toBe(quote)
  }
  expect(body.answer.abstained).toBe(body.answer.citations.length === 0)
}

/** Whether a query matches a text, by their words. */
type Share = (a: readonly string[], b: readonly string[]) => boolean

const shareWords: Share = (a, b) => a.some((word) => b.includes(word))

/** Whether two words share four letters in sequence; the two ends of a word count as letters. */
function shareLetters(a: readonly string[], b: readonly string[]): boolean {
  const grams = (words: readonly string[]) =>
    words.flatMap((word) => Array.from({ length: word.length - 1 }, (_, i) => `_${word}_`.slice(i, i + 4)))
  const known = new Set(grams(a))
  return grams(b).some((gram) => known.has(gram))
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
  const counts = { tombstoned: hard ? 0 : gone.length, purged: hard ? gone.length : 0, sources_purged: 0 }
  expect(body).toMatchObject({ matched: gone.length, ...counts })
  for (const unit of gone) unit.state = hard ? 'purged' : 'tombstoned'
}

function isFiltered(filters: NonNullable<SearchBody['filters']>, unit: ModelUnit): boolean {
  const { modality, doc_id, external_id, source_uri, acl_owner, metadata } = filters
  return (
    (modality?.includes(unit.modality) ?? true) &&
    (doc_id?.includes(unit.docId ?? '') ?? true) &&
    (external_id?.includes(unit.externalId ?? '') ?? true) &&
    (source_uri?.includes(unit.sourceUri ?? '') ?? true) &&
    (acl_owner?.includes(unit.owner) ?? true) &&
    hasMetadata(metadata as Metadata | undefined, unit)
  )
}

/** The drawn conditions: a value, or a list with at least one matching value. */
const hasMetadata = (conditions: Metadata = {}, unit: ModelUnit) =>
  Object.entries(conditions).every(([key, wanted]) => [wanted].flat().some((value) => unit.metadata[key] === value))

const asShown = ({ unitId, externalId, scope, plane, modality, words, docId, sourceUri, metadata }: ModelUnit) => ({
  unit_id: unitId,
  external_id: externalId,
  scope,
  plane,
  modality,
  text: words.length > 0 ? words.join(' ') : null,
  doc_id: docId,
  source_uri: sourceUri,
  metadata,
})

const asOwned = (unit: ModelUnit) => ({
  ...asShown(unit),
  acl_owner: unit.owner,
  acl_groups: [...new Set(unit.groups)].sort(),
})

/** Checks that the answer contains nothing of other Units: no id, no external id, no secret word. */
function expectNothingOf(world: World, readable: readonly ModelUnit[], text: string): void {
  const marks = (unit: ModelUnit) => [unit.unitId, unit.secret, ...(unit.externalId === null ? [] : [unit.externalId])]
  const open = new Set(readable.flatMap(marks))
  const closed = [...world.units.flatMap(marks), ...world.overwritten].filter((mark) => !open.has(mark))
  expect(closed.filter((mark) => text.includes(mark))).toEqual([])
}

function expectError({ body }: Answer, status: number): void {
  const codes: Record<number, string> = {
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
