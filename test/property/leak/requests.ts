import type { Plane } from '../../../src/model/unit.ts'
import type { Draw } from '../draw.ts'
import { drawAnyQuery } from './any-query.ts'
import { drawDocumentAsk } from './documents/operations.ts'
import { sharedId } from './history.ts'
import { asTool } from './mcp.ts'
import type { Actor, ModelUnit, World } from './model.ts'
import type { Call, DeleteBody, Operation, SearchBody } from './operations.ts'
import { scopePool, vocabulary } from './pools.ts'

export interface Request extends Call {
  actor: Actor | null
  operation: Operation
}

export const unknownId = 'unit_0000000000000000000000'

export function drawRequest(draw: Draw, world: World, among = kinds): Request {
  const actor = draw.chance(3) ? null : draw.pick(world.actors)
  const anywhere = [...world.namespaces.map((n) => n.name), 'no-such-namespace']
  const granted = actor?.grants.map((grant) => grant.namespace) ?? []
  // Usually a namespace that the actor may enter, because a request that is refused at entry tests little.
  const elsewhere = draw.chance(30) ? draw.pick([...anywhere, ...granted]) : undefined
  const namespace = actor?.superAdmin ? draw.pick(anywhere) : elsewhere
  const here = world.units.filter((unit) => unit.namespace === (namespace ?? actor?.home))
  const filesHere = world.documents.filter((document) => document.namespace === (namespace ?? actor?.home))
  const held = actor?.grants.map((grant) => grant.scope) ?? []
  const drawScope = () => draw.pick(['*', ...(draw.chance(70) ? [...held, '*'] : ['no/such/scope', ...scopePool])])
  const request: Request = {
    actor,
    token: actor ? actor.token : draw.pick([undefined, 'svc_sk_test_00000000000000000000000000000000']),
    door: draw.pick(['rest', 'graphql', 'mcp']),
    namespace,
    scopeHeader: draw.chance(30) ? drawScope() : undefined,
    scopeQuery: draw.chance(10) ? drawScope() : undefined,
    operation: drawOperation(
      draw,
      here.length > 0 && draw.chance(90) ? { ...world, units: here, documents: filesHere } : world,
      actor,
      draw.pick(among),
    ),
  }
  if (request.door !== 'mcp') return request
  // What no tool does goes over REST.
  return asTool(request) ?? { ...request, door: 'rest' }
}

type Kind = Operation['kind']

/** By how often they are drawn: any query half the time. */
const kinds: readonly Kind[] = [
  ...(['context', 'namespaces', 'scopes', 'scope', 'units', 'units', 'unit', 'unit', 'docs', 'facets'] as const),
  ...(['search', 'search', 'delete', 'files', 'files', 'files', 'files'] as const),
  ...Array.from({ length: 17 }, () => 'any' as const),
]

function drawOperation(draw: Draw, world: World, actor: Actor | null, kind: Kind): Operation {
  switch (kind) {
    case 'context':
      return { kind: 'context' }
    case 'namespaces':
      return { kind: 'namespaces' }
    case 'scopes':
      return { kind: 'scopes' }
    case 'scope':
      return { kind: 'scope', scope: draw.pick(scopePool) }
    case 'units':
      return {
        kind: 'units',
        limit: draw.chance(80) ? 1 + draw.upTo(draw.chance(50) ? 4 : 99) : null,
        cursor: draw.chance(50) ? draw.upTo(15) : null,
      }
    case 'unit':
      return { kind: 'unit', id: draw.chance(95) ? draw.pick(world.units).unitId : unknownId }
    case 'docs':
      return {
        kind: 'docs',
        filters: draw.chance(40) ? drawFilters(draw, world, draw.pick(world.units)) : {},
        limit: 1 + draw.upTo(draw.chance(50) ? 4 : 99),
        cursor: draw.chance(50) ? draw.upTo(8) : 0,
      }
    case 'facets':
      return { kind: 'facets', filters: draw.chance(50) ? drawFilters(draw, world, draw.pick(world.units)) : {} }
    case 'files':
      return { kind: 'files', ask: drawDocumentAsk(draw, world, actor) }
    case 'any':
      return { kind: 'any', ask: drawAnyQuery(draw, world) }
    case 'search':
      return { kind: 'search', body: drawSearch(draw, world) }
    default:
      return { kind: 'delete', body: drawDelete(draw, world) }
  }
}

const known = (value: string | null): string => value ?? 'no-such-value'

function drawSearch(draw: Draw, world: World): SearchBody {
  const about = draw.pick(world.units)
  const filters = draw.chance(35) ? drawFilters(draw, world, about) : undefined
  const secrets = [about, ...draw.some(world.units, 2)].map((unit) => unit.secret)
  const words = draw.pick([secrets, secrets, [about.secret], draw.some(vocabulary, 2), world.overwritten])
  const asked = filters && draw.chance(40) ? '' : words.join(' ') || about.secret
  const q = asked !== '' && draw.chance(20) ? `${asked} -${draw.pick([about.secret, ...vocabulary])}` : asked
  const planes: readonly Plane[] = ['text', 'visual', 'audio', 'doc_visual']
  return {
    q,
    ...(draw.chance(70) ? { top_k: draw.chance(50) ? 50 : 1 + draw.upTo(9) } : {}),
    ...(draw.chance(25) ? { planes: [draw.pick(planes), draw.pick(planes)] } : {}),
    ...(draw.chance(30) ? { scope: draw.pick(['*', '*', '*', ...scopePool]) } : {}),
    ...drawResults(draw),
    ...(q !== '' && draw.chance(50) ? { answer: true } : {}),
    ...(draw.chance(10) ? { min_score: draw.upTo(10) / 10 } : {}),
    ...(draw.chance(20) ? { vector: { [draw.pick(planes)]: [1, draw.upTo(9), draw.upTo(9)] } } : {}),
    ...(filters ? { filters } : {}),
  }
}

function drawResults(draw: Draw): Partial<SearchBody> {
  const isSorted = draw.chance(20)
  return {
    ...(isSorted
      ? { sort: [{ by: draw.pick(['created_at', 'updated_at', 'metadata.note']), order: draw.pick(['asc', 'desc']) }] }
      : draw.chance(25)
        ? { rerank: true }
        : {}),
    ...(draw.chance(20) ? { group_by: draw.pick(['doc_id', 'metadata.tag']), group_size: 1 + draw.upTo(4) } : {}),
    ...(draw.chance(20) ? { offset: 1 + draw.upTo(9) } : {}),
    ...(draw.chance(20) ? { snippet_length: 5 + draw.upTo(60) } : {}),
    ...(draw.chance(25) ? { facets: ['scope', 'doc_id', 'metadata.note', 'metadata.tag', 'plane'] } : {}),
    ...(draw.chance(15) ? { boost: [{ by: 'created_at', half_life_days: 1 }] } : {}),
  }
}

function drawFilters(draw: Draw, world: World, about: ModelUnit): NonNullable<SearchBody['filters']> {
  const other = draw.pick(world.units)
  return draw.pick<NonNullable<SearchBody['filters']>>([
    { modality: [about.modality, other.modality] },
    { doc_id: [known(about.docId), known(other.docId)] },
    { external_id: [sharedId, known(about.externalId)] },
    { source_uri: [known(about.sourceUri), known(other.sourceUri)] },
    { acl_owner: [about.owner, other.owner] },
    { metadata: { tag: draw.pick(['a', 'b', 'c']) } },
    { metadata: { note: about.secret } },
    { metadata: { tag: ['a', 'b'] }, modality: [about.modality] },
  ])
}

function drawDelete(draw: Draw, world: World): DeleteBody {
  const hard = draw.chance(25)
  const about = draw.pick(world.units)
  if (draw.chance(50)) {
    const ids = [about, ...draw.some(world.units, 3)].map((unit) => unit.unitId)
    return { ids: draw.chance(30) ? [unknownId, ...ids] : ids, hard }
  }
  const filter = draw.pick<NonNullable<DeleteBody['filter']>>([
    { doc_id: known(about.docId) },
    { external_id: known(about.externalId), plane: about.plane },
    { external_id: sharedId },
    { source_uri: known(about.sourceUri) },
    { metadata: { tag: about.metadata.tag ?? '' }, modality: about.modality, scope: about.scope },
    { metadata: { note: about.secret } },
    { scope: draw.pick(scopePool), doc_id: 'doc-1' },
  ])
  return { filter, ...(hard ? { hard } : {}) }
}
