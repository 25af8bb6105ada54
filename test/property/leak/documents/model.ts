import { type Actor, enter, type ModelUnit, View, type World } from '../model.ts'

/** What was sent of a document at one time. */
export interface ModelVersion {
  name: string
  sourceUri: string
  groups: readonly string[]
}

export interface ModelDocument {
  documentId: string
  namespace: string
  scope: string
  docId: string
  writer: Actor
  sent: ModelVersion
  /** The version whose Units are found. */
  found: ModelVersion | null
  status: 'ready' | 'failed'
  reason: 'malformed' | 'empty' | 'forbidden' | null
  units: readonly ModelUnit[]
  /** `lost`: its scope was deleted; `removed`: no Unit of it is left. */
  state: 'there' | 'lost' | 'removed'
}

/** A link to the source of a Unit, and the credential that made it. */
export interface ModelLink {
  url: string
  actor: Actor
  unit: ModelUnit
}

/** A document as a view sees it. */
export interface Shown {
  documentId: string
  docId: string
  scope: string
  name: string
  sourceUri: string | null
  status: string
  reason: string | null
  hasDetail: boolean
  units: number
  aclGroups: string[]
}

const isOwn = ({ actor }: View, { writer }: ModelDocument) => writer.id === actor.id
const readable = (view: View, { units }: ModelDocument) =>
  view.within.filter((unit) => units.includes(unit) && view.mayRead(unit))

/** Its own documents, and those of which it may read a Unit. */
function isSeen(view: View, document: ModelDocument): boolean {
  const { namespace, scope, state, found, units } = document
  if (namespace !== view.namespace.name || state !== 'there' || !view.reaches('read', scope)) return false
  const open = new Set(view.planes)
  const isFound = units.some((unit) => unit.state === 'live' && open.has(unit.plane))
  return (isOwn(view, document) && (found === null || isFound)) || readable(view, document).length > 0
}

/** In the order of a list. */
export const seenDocuments = (view: View): ModelDocument[] =>
  view.world.documents
    .filter((document) => isSeen(view, document))
    .sort((a, b) => (a.docId < b.docId ? -1 : a.docId > b.docId ? 1 : 0))

/** The writer sees what it sent last and how that fares; others see what is found, and nothing of another version. */
export function shownTo(view: View, document: ModelDocument): Shown {
  const { documentId, docId, scope, sent, found, status, reason } = document
  const own = isOwn(view, document)
  const { name, groups } = own ? sent : (found ?? sent)
  return {
    documentId,
    docId,
    scope,
    name,
    sourceUri: found?.sourceUri ?? null,
    status: own ? status : 'ready',
    reason: own ? reason : null,
    hasDetail: own && reason !== null,
    units: readable(view, document).length,
    aclGroups: [...new Set(groups)].sort(),
  }
}

/** The view of one scope within the requested one; null if it is outside. */
export function viewWithin(view: View, scope: string | null): View | null {
  if (scope === null) return view
  if (!isWithin(view.requested, scope)) return null
  const inside = enter(view.world, { actor: view.actor, namespace: view.namespace.name, scope })
  return inside instanceof View ? inside : null
}

const isWithin = (pattern: string, path: string) =>
  pattern === '*' || pattern === path || path.startsWith(`${pattern}/`)

/** What may identify a document: an answer has it only for those who see the document. */
export const marksOf = ({ documentId, docId, sent, found }: ModelDocument): string[] => [
  documentId,
  docId,
  ...[sent, ...(found ? [found] : [])].flatMap(({ name, sourceUri }) => [name, sourceUri]),
]

/** The marks that this view may be shown. */
export const openMarks = (view: View): string[] =>
  seenDocuments(view).flatMap((document) =>
    isOwn(view, document) || document.found === null
      ? marksOf(document)
      : marksOf({ ...document, sent: document.found }),
  )

/** What the deletion of these documents removes: it is recorded in the model. Returns the Units. */
export function deleteInModel(view: View, ids: readonly string[], hard: boolean): ModelUnit[] {
  const named = view.world.documents.filter(
    (document) => ids.includes(document.documentId) && document.namespace === view.namespace.name,
  )
  const reached = named.filter(
    (document) =>
      document.state === 'there' &&
      (isSeen(view, document) || (hard && isOwn(view, document))) &&
      view.reaches('write', document.scope),
  )
  const gone = reached.flatMap(({ units }) => units.filter((unit) => view.mayDelete(unit, hard)))
  for (const document of reached.filter((one) => isOwn(view, one))) {
    if (document.units.every(({ state }) => state === 'purged')) document.state = 'removed'
    else Object.assign(document, { status: 'ready', reason: null, sent: document.found ?? document.sent })
  }
  for (const unit of gone) unit.state = hard ? 'purged' : 'tombstoned'
  removeEmptied(view.world)
  return gone
}

/** A document goes with its last Unit. */
export function removeEmptied(world: World): void {
  for (const document of world.documents) {
    const { units, state } = document
    if (state === 'there' && units.length > 0 && units.every((unit) => unit.state === 'purged'))
      document.state = 'removed'
  }
}

/** The Units that open the source of a document when it is linked: those that its writer's file made. */
export const hasSource = (world: World, unit: ModelUnit): boolean =>
  world.documents.some(
    ({ units, found }) => units.includes(unit) && found !== null && found.sourceUri === unit.sourceUri,
  )
