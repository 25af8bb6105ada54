import { expect, test } from 'vitest'
import { ocsfLine } from '../../src/domain/audit/export-audit.ts'
import { type AuditRow, genesisHash } from '../../src/model/audit.ts'

const row: AuditRow = {
  namespace: 'acme',
  seq: 7,
  time: 1_700_000_000_000,
  principalId: 'prn_1',
  action: 'units.delete',
  target: 'harbor/general',
  outcome: 'ok',
  requestId: 'request-1',
  detail: { matched: 2 },
  prevHash: genesisHash,
  hash: 'ab'.repeat(32),
}

const eventOf = (changes: Partial<AuditRow>) => JSON.parse(ocsfLine({ ...row, ...changes }, '1.2.3'))

test('a row of the API is an API Activity', () => {
  expect(eventOf({})).toEqual({
    activity_id: 4,
    activity_name: 'Delete',
    category_uid: 6,
    class_uid: 6003,
    type_uid: 600304,
    severity_id: 1,
    status_id: 1,
    status_code: 'ok',
    time: 1_700_000_000_000,
    metadata: {
      version: '1.9.0',
      product: { name: 'multimodal-retrieval', vendor_name: 'multimodal-retrieval', version: '1.2.3' },
      uid: 'acme/7',
      sequence: 7,
      tenant_uid: 'acme',
      correlation_uid: 'request-1',
      event_code: 'units.delete',
      log_name: 'audit',
    },
    actor: { user: { uid: 'prn_1' } },
    api: { operation: 'units.delete', request: { uid: 'request-1' } },
    src_endpoint: { name: 'unknown' },
    resources: [{ uid: 'harbor/general', namespace: 'acme' }],
    unmapped: { detail: { matched: 2 }, prev_hash: genesisHash, hash: 'ab'.repeat(32) },
  })
})

test('a row of the registries is Entity Management', () => {
  const event = eventOf({ action: 'key.revoke', target: 'key_1' })
  expect(event).toMatchObject({ class_uid: 3004, category_uid: 3, activity_id: 4, type_uid: 300404 })
  expect(event.entity).toEqual({ type: 'key', uid: 'key_1' })
  expect(event).not.toHaveProperty('api')
})

test('a refusal is a failure, with the operation in its detail', () => {
  const detail = { operation: 'Query.audit' }
  const event = eventOf({ action: 'request.refused', outcome: 'forbidden', target: null, detail })
  expect(event).toMatchObject({ type_uid: 600399, activity_name: 'Other', status_id: 2, status_code: 'forbidden' })
  expect(event.unmapped.detail).toEqual(detail)
  expect(event).not.toHaveProperty('resources')
})

test.each(['grant.create', 'search.run', 'of.later', 'constructor', '__proto__'])(
  '%s has what its class requires',
  (name) => {
    // Simulates an action that a later version or another program wrote to the log.
    const action: AuditRow['action'] = JSON.parse(JSON.stringify(name))
    const event = eventOf({ action })
    const base = ['activity_id', 'category_uid', 'class_uid', 'metadata', 'severity_id', 'time', 'type_uid']
    const own = event.class_uid === 3004 ? ['entity'] : ['actor', 'api', 'src_endpoint']
    expect(Object.keys(event)).toEqual(expect.arrayContaining([...base, ...own]))
    expect(event.type_uid).toBe(event.class_uid * 100 + event.activity_id)
    expect(Math.floor(event.class_uid / 1000)).toBe(event.category_uid)
  },
)
