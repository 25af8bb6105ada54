import type { AuditAction, AuditRow } from '../../model/audit.ts'

/**
 * Audit rows as events of the Open Cybersecurity Schema Framework, https://schema.ocsf.io/1.9.0/: changes of the
 * registries are Entity Management (3004), everything else is API Activity (6003).
 */
const schemaVersion = '1.9.0'

const activities = {
  create: [1, 'Create'],
  read: [2, 'Read'],
  update: [3, 'Update'],
  delete: [4, 'Delete'],
  other: [99, 'Other'],
} as const

type Activity = keyof typeof activities
type Mapping = readonly [activity: Activity, entity?: string]

/** What an action does, and the kind of managed entity if there is one. */
const actions: Record<AuditAction, Mapping> = {
  'namespace.claim': ['create', 'namespace'],
  'namespace.transfer': ['update', 'namespace'],
  'namespace.update': ['update', 'namespace'],
  'namespace.delete': ['delete', 'namespace'],
  'namespace.export': ['read', 'namespace'],
  'namespace.import': ['create', 'namespace'],
  'principal.create': ['create', 'principal'],
  'principal.delete': ['delete', 'principal'],
  'principal.provision': ['create', 'principal'],
  'grant.create': ['create', 'grant'],
  'grant.delete': ['delete', 'grant'],
  'invitation.create': ['create', 'invitation'],
  'invitation.accept': ['update', 'invitation'],
  'invitation.revoke': ['delete', 'invitation'],
  'key.create': ['create', 'key'],
  'key.revoke': ['delete', 'key'],
  'agent.connect': ['create', 'agent'],
  'agent.revoke': ['delete', 'agent'],
  'scope.create': ['create', 'scope'],
  'scope.update': ['update', 'scope'],
  'scope.delete': ['delete', 'scope'],
  'scope.sweep': ['delete'],
  'access.explain': ['read'],
  'access.view_as': ['read'],
  'audit.export': ['read'],
  'units.ingest': ['create'],
  'units.embed': ['update'],
  'units.reembed': ['update'],
  'units.update': ['update'],
  'units.restore': ['update'],
  'units.delete': ['delete'],
  'units.get': ['read'],
  'units.list': ['read'],
  'source.create': ['create'],
  'document.ingest': ['create'],
  'document.write': ['update'],
  'document.change': ['update'],
  'document.retry': ['update'],
  'document.delete': ['delete'],
  'documents.get': ['read'],
  'docs.get': ['read'],
  'docs.list': ['read'],
  'docs.facets': ['read'],
  'documents.list': ['read'],
  'source.link': ['create'],
  'source.read': ['read'],
  'compaction.run': ['update'],
  'plane.switch': ['update'],
  'vectors.remove': ['delete'],
  'vectors.reset': ['delete'],
  'seed.run': ['create'],
  'seed.rotate': ['update'],
  'search.run': ['read'],
  'answer.run': ['read'],
  'billing.checkout': ['create'],
  'billing.portal': ['create'],
  'billing.event': ['update'],
  'billing.tier': ['update', 'namespace'],
  'golden.create': ['create'],
  'golden.delete': ['delete'],
  'evaluation.run': ['other'],
  'report.publish': ['create'],
  // The refused operation is in its detail.
  'request.refused': ['other'],
}
const mappings = new Map<string, Mapping>(Object.entries(actions))

const apiActivity = { class_uid: 6003, category_uid: 6 }
const entityManagement = { class_uid: 3004, category_uid: 3 }

/** The event of a row, as JSON without a newline. Fields unknown to OCSF go to `unmapped`. */
export function ocsfLine(row: AuditRow, productVersion: string): string {
  // A row may come from a later version than this table.
  const [activity, entity] = mappings.get(row.action) ?? ['other']
  const [activityId, activityName] = activities[activity]
  const { class_uid, category_uid } = entity === undefined ? apiActivity : entityManagement
  const api = { operation: row.action, request: { uid: row.requestId } }
  return JSON.stringify({
    activity_id: activityId,
    activity_name: activityName,
    category_uid,
    class_uid,
    type_uid: class_uid * 100 + activityId,
    severity_id: 1,
    status_id: row.outcome === 'ok' ? 1 : 2,
    status_code: row.outcome,
    time: row.time,
    metadata: {
      version: schemaVersion,
      product: { name: 'multimodal-retrieval', vendor_name: 'multimodal-retrieval', version: productVersion },
      uid: `${row.namespace}/${row.seq}`,
      sequence: row.seq,
      tenant_uid: row.namespace,
      correlation_uid: row.requestId,
      event_code: row.action,
      log_name: 'audit',
    },
    actor: { user: { uid: row.principalId } },
    ...(entity === undefined
      ? { api, ...unknownSource, ...resourcesOf(row) }
      : { entity: { type: entity, uid: row.target ?? row.namespace } }),
    unmapped: { detail: row.detail, prev_hash: row.prevHash, hash: row.hash },
  })
}

/** A required field, but rows do not store the source of a request. */
const unknownSource = { src_endpoint: { name: 'unknown' } }

const resourcesOf = ({ target, namespace }: AuditRow) =>
  target === null ? {} : { resources: [{ uid: target, namespace }] }
