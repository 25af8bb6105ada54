import { scopeActions, unitActions } from '../../../src/model/audit.ts'
import { modalities, planes } from '../../../src/model/unit.ts'
import type { Draw } from '../draw.ts'
import { type Choices, drawQuery, type RootField } from '../graphql-draw.ts'
import type { Snapshot } from './snapshot.ts'
import { externalIds, groupPool, mark, scopePool, type World } from './world.ts'

export interface GraphqlRequest {
  field: string
  query: string
  variables: Record<string, unknown>
  scope: string | undefined
}

/** The sources for drawn arguments. */
export interface Pools {
  world: World
  seen: Snapshot
}

/** Draws a request for one root field, with arguments by type and name; throws for an unknown argument. */
export function drawRequest(draw: Draw, pools: Pools, field: RootField): GraphqlRequest {
  const isArgument = new Set<unknown>(field.args)
  const choices: Choices = {
    takes: (input) => {
      // Only a subscription with ids ends.
      if (isArgument.has(input)) return input.name === 'documentIds' || draw.chance(60)
      if (input.name === 'text') return true
      return !leftOut.includes(input.name) && draw.chance(often.includes(input.name) ? 65 : 35)
    },
    scalar: (type, name) => drawScalar(draw, pools, type, name, field.name),
    ...(field.name === 'setSynonyms' && { size: 2 }),
  }
  const request = drawQuery(draw, field, choices)
  return { field: field.name, ...request, scope: draw.chance(30) ? draw.pick(scopePool) : undefined }
}

/** Inputs that no restriction concerns, and whose own validation would reject most drawn values. */
const leftOut = [
  ...['locator', 'vector', 'image', 'filters', 'minScore', 'metadata', 'timeRange', 'createdBefore', 'sourceUri'],
  ...['groupBy', 'groupSize', 'sort', 'boost', 'facets', 'snippetLength'],
  ...['requestId', 'before', 'and', 'or', 'not', 'createdAt', 'updatedAt'],
]
const often = ['externalId', 'plane', 'scope', 'groups', 'aclGroups', 'hiddenCount']

function drawScalar(draw: Draw, pools: Pools, scalar: string, name: string, field: string): unknown {
  switch (scalar) {
    case 'Boolean':
      return draw.chance(50)
    case 'Int':
    case 'Time':
    case 'SafeInt':
      return name === 'expiresAt' ? Date.now() + draw.pick([1_800_000, 7_200_000]) : draw.upTo(40)
    case 'Float':
      return draw.pick([0, 0.5, 1])
    case 'Bytes':
      return 'aGVyb24='
    case 'Metadata':
      return { seen: mark() }
    case 'Condition':
    case 'String':
      return drawString(draw, pools, name, field)
    default:
      throw new Error(`${field}: no value of the type ${scalar} can be drawn for ${name}`)
  }
}

let names = 0

function drawString(draw: Draw, { world, seen }: Pools, name: string, field: string): string {
  const { ids, deleted, namespace } = world
  const units = [...seen.units.keys(), ...deleted]
  const principals = [...seen.principals.keys()]
  const pools: Record<string, readonly string[]> = {
    unitId: units,
    expectedUnitIds: units,
    ids: [...units, ...seen.evaluation.keys()],
    id: [...seen.grants.keys(), ...principals, ...ids.keys],
    principalId: principals,
    aclOwner: [...principals, 'nobody'],
    plane: planes,
    modality: modalities,
    scope: [...scopePool, '*', `a/new${names + 1}`, `n${names + 1}`],
    activeScope: [...scopePool, '*'],
    scopePrefix: scopePool,
    parent: scopePool,
    groups: groupPool,
    aclGroups: [...groupPool, '*'],
    externalId: externalIds,
    expectedExternalIds: externalIds,
    docId: ['d1', 'd2'],
    prefix: ['d', 'key'],
    fields: ['plane', 'scope', 'docId', 'createdAt', 'metadata.seen'],
    sourceUri: [ids.source],
    action: [...unitActions, ...scopeActions],
    outcome: ['ok'],
    target: [...units, ...scopePool, '*'],
    namespace: [`claim-${namespace}-${names + 1}`],
    run: [ids.run, 'unknown'],
    documentId: ids.documents,
    documentIds: ids.documents,
    docIdPrefix: ['d', 'key'],
    docIds: ['d1', 'd2'],
    sidecar: ['heron'],
    title: ['herons'],
    texts: ['herons'],
    language: ['en', 'vi'],
    answer: ['A heron stood there.'],
    mime: ['text/plain'],
    sha256: ['0'.repeat(64)],
    q: ['heron'],
    text: [`${mark()} heron`],
    expectedAnswers: [mark()],
    from: ['heron'],
    to: ['egret'],
    payload: ['{}'],
    signature: ['none'],
    secret: ['none'],
    token: world.invitations,
    email: ['guest@example.com'],
    cursor: ['none'],
    add: principals,
    remove: principals,
    addGroups: groupPool,
    removeGroups: groupPool,
    newName: [...groupPool, `renamed-${names + 1}`],
    displayName: ['Herons'],
  }
  names += 1
  // A group has two different words or more.
  if (field === 'setSynonyms' && name === 'groups') return `heron-${names}`
  if (field === 'transferNamespace') return name === 'namespace' ? world.founder.namespace : world.heir
  if (field === 'updateNamespace') return namespace
  if (name === 'name' && /group/i.test(field)) return draw.pick(groupPool)
  if (name === 'name') return ['namespace', 'deleteNamespace'].includes(field) ? namespace : `key-${names}`
  // Ids of the matching kind, because most others would be unknown.
  if (name === 'id' && /principal/i.test(field)) return draw.pick(principals)
  if (name === 'id' && /grant/i.test(field)) return draw.pick([...seen.grants.keys()])
  if (name === 'id' && /invitation/i.test(field)) return draw.pick([...seen.invitations.keys()])
  if (name === 'ids' && /golden/i.test(field)) return draw.pick([...seen.evaluation.keys()])
  const pool = pools[name]
  if (!pool) throw new Error(`${field}: no text can be drawn for ${name}`)
  return draw.chance(3) ? 'unknown' : draw.pick(pool)
}
