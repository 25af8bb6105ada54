import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { auditHash, genesisHash } from '../../../src/model/audit.ts'
import { openBrowser } from '../../support/access/browser.ts'
import { atNight, sampled } from '../../support/amounts.ts'
import type { TestApp } from '../../support/boot.ts'
import { createStorage } from '../../support/database/database.ts'
import { exportedLines, importLines, refusalOf, sealed, transferWithin } from '../../support/transfer/files.ts'
import { sqlOf, type Tables, tablesOf } from '../../support/transfer/tables.ts'
import { bootWorld, fillWorld, type World } from '../../support/transfer/world.ts'

let source: TestApp
let target: TestApp
let world: World
let lines: string[]
let before: Tables
/** The objects in the store. */
let objects: string[] = []

beforeAll(async () => {
  source = await bootWorld(await createStorage())
  world = await fillWorld(source)
  lines = await exportedLines(source, 'alpha')
  target = await bootWorld(await createStorage())
  // Existing principals, which a malicious file could target.
  await target.principal({ id: 'resident', namespace: 'harbour' })
  await openBrowser(target).signUp('eve@example.com')
  before = await settled()
})
afterAll(() => Promise.all([source.close(), target.close()]))

afterEach(async () => {
  expect(await settled()).toEqual(before)
  expect(await stored()).toEqual(objects)
})

/** All rows of the target. What requests left in memory is written first: counts of searches, and when keys were used. */
async function settled(): Promise<Tables> {
  const { background } = target.runtime.domain
  background.kick()
  await background.idle()
  return tablesOf(sqlOf(target))
}

async function stored(): Promise<string[]> {
  const names = await readdir(join(target.storage.dataDir, 'objects'), { recursive: true }).catch(() => [])
  return names.filter((name) => name.endsWith('.object'))
}

const isOf = (kind: string) => (line: string) => line.startsWith(`{"${kind}":`)
const first = (kind: string) => lines.findIndex(isOf(kind))
const last = (kind: string) => lines.findLastIndex(isOf(kind))

/** The file with one changed line and a matching end line. */
const changed = (at: number, change: (line: string) => string) =>
  sealed(lines.map((line, i) => (i === at ? change(line) : line)))

/** Changes fields of a record. */
const edited = (at: number, edit: (fields: Record<string, unknown>) => object) =>
  changed(at, (line) => {
    const [[kind = '', fields] = []] = Object.entries(JSON.parse(line) as Record<string, Record<string, unknown>>)
    return JSON.stringify({ [kind]: { ...fields, ...edit({ ...fields }) } })
  })

test('a vector that no index could hold', async () => {
  for (const bytes of [
    Float32Array.of(1, Number.NaN),
    Float32Array.of(Number.POSITIVE_INFINITY),
    Uint8Array.of(1, 2, 3),
  ]) {
    const vector = Buffer.from(bytes.buffer).toString('base64')
    const file = edited(first('unit_vector'), () => ({ vector }))
    expect(await refusalOf(target, file)).toMatch(/^line \d+ is not a vector of finite float32 values$/)
  }
})

describe('a file that is not as it was written', () => {
  test('cut off behind any line', async () => {
    const steps = lines.map((_, i) => i).filter((i) => i > 0 && (i % 7 === 0 || i < 40 || i > lines.length - 10))
    for (const end of sampled(steps, 12)) {
      expect(await refusalOf(target, lines.slice(0, end))).toBe('the file is cut off: its end is missing')
    }
    expect(await refusalOf(target, [])).toBe('the file is empty')
  })

  test('with any byte changed', async () => {
    const text = lines.join('\n')
    const tries = atNight ? 60 : 12
    for (let i = 0; i < tries; i++) {
      const at = Math.floor((text.length * (i + 0.5)) / tries)
      const other = text[at] === 'a' ? 'b' : 'a'
      const damaged = (text.slice(0, at) + other + text.slice(at + 1)).split('\n')
      expect(await refusalOf(target, damaged)).toMatch(/^the (file|header)/)
    }
  })

  test.each([
    ['a line twice', () => lines.toSpliced(5, 0, lines[5] ?? ''), /SHA-256/],
    ['a line missing', () => lines.toSpliced(5, 1), /SHA-256/],
    ['more behind its end', () => [...lines, lines[5] ?? ''], /continues after its end/],
    [
      'another version',
      () => changed(0, (line) => line.replace(/"version":\d+/, '"version":999')),
      /has version 999 of the format/,
    ],
    ['another format', () => changed(0, () => '{"format":"something","version":1}'), /not an export of namespaces/],
    [
      'half a header',
      () => changed(0, (line) => line.replace(/"namespaces":.*/, '"namespaces":[]}')),
      /header .* not whole/,
    ],
  ])('with %s', async (_, make, says) => {
    expect(await refusalOf(target, make())).toMatch(says)
  })
})

describe('records that do not fit, under an end that does', () => {
  const eve = () => before.auth_user?.map((row) => JSON.parse(row).id)[0]
  const foreign = () => before.namespace?.map((row) => JSON.parse(row).id)[0]

  test.each<[string, () => string[], RegExp]>([
    ['no JSON', () => changed(5, () => '{"scope"'), /^line 6 is not a record/],
    ['an unknown kind', () => changed(5, () => '{"_prisma_migrations":{"id":"x"}}'), /^line 6 is not a record/],
    ['two records in a line', () => changed(5, (line) => `${line.slice(0, -1)},"x":{}}`), /^line 6 is not a record/],
    ['a field too many', () => edited(first('unit'), () => ({ more: 1 })), /is not a record/],
    [
      'a field missing',
      () => changed(first('unit'), (line) => line.replace(/"modality":"\w+",/, '')),
      /is not a record/,
    ],
    ['a value of another type', () => edited(first('unit'), () => ({ seq: 'many' })), /^a record unit is not one that/],
    [
      'nothing where something must be',
      () => edited(first('unit'), () => ({ state: null })),
      /^a record unit is not one that/,
    ],
    [
      'a kind out of place',
      () => sealed([...lines.slice(0, -1), lines[first('unit')] ?? '']),
      /is not where its kind belongs/,
    ],
    [
      'a Unit twice',
      () => sealed(lines.toSpliced(first('unit'), 0, lines[first('unit')] ?? '')),
      /^a record unit already exists here/,
    ],
    ['a Unit in no scope', () => edited(first('unit'), () => ({ scope_id: 'none' })), /^a record unit refers to what/],
    [
      'a scope missing',
      () => sealed(lines.toSpliced(last('scope'), 1)),
      /^a record (unit|ingested_document) refers to/,
    ],
    ['an ACL set missing', () => sealed(lines.toSpliced(first('acl_set'), 1)), /^a record unit refers to what/],
    [
      'a vector of no Unit',
      () => edited(first('unit_vector'), () => ({ unit_id: 'none' })),
      /^a record unit_vector refers to what/,
    ],
    ['a head missing', () => sealed(lines.toSpliced(first('head'), 1)), /^the head of a namespace is missing/],
    [
      'a head behind its Units',
      () => edited(first('head'), () => ({ seq: 1 })),
      /^the head of a namespace is missing, or behind/,
    ],
    [
      'another namespace',
      () => edited(first('unit'), () => ({ namespace_id: foreign() })),
      /^a record unit belongs to no namespace/,
    ],
    [
      'a grant in another namespace',
      () => edited(first('grant'), () => ({ namespace_id: foreign() })),
      /^a record grant belongs to no/,
    ],
    [
      "a token of someone else's",
      () => edited(first('token'), () => ({ principal_id: 'resident' })),
      /^a record token belongs to no/,
    ],
    [
      "someone's customer",
      () => edited(first('billing_customer'), () => ({ principal_id: 'resident' })),
      /^a record billing_customer belongs/,
    ],
    [
      'a namespace that is not announced',
      () => edited(first('namespace'), () => ({ id: 'ns_x' })),
      /^a record namespace belongs to no/,
    ],
    [
      'the name of one that exists',
      () => edited(first('namespace'), () => ({ name: 'harbour' })),
      /^a record namespace already exists here/,
    ],
    [
      'the id of a principal that exists',
      () => edited(first('principal'), () => ({ principal_id: 'resident' })),
      /^a record principal already exists/,
    ],
    [
      'a principal that already exists here',
      () => edited(first('principal'), () => ({ user_id: eve() })),
      /^a record principal refers to a principal/,
    ],
    [
      'other bytes of a source',
      () => edited(first('source_bytes'), () => ({ data: 'AAAA' })),
      /^the bytes of a source are not those/,
    ],
    [
      "bytes of someone else's source",
      () => edited(last('source_bytes'), () => ({ namespace_id: foreign() })),
      /^the bytes of a source/,
    ],
    [
      'an audit row changed',
      () => edited(first('audit_row'), () => ({ principal_id: 'me' })),
      /^the audit log of alpha does not verify: row 1 was/,
    ],
    [
      'an audit row missing',
      () => sealed(lines.toSpliced(first('audit_row') + 2, 1)),
      /does not verify: row 3 is missing/,
    ],
    [
      'another name',
      () => edited(first('namespace'), () => ({ name: 'omega' })),
      /^the audit log of omega does not verify: row 1 was/,
    ],
    [
      'a root changed',
      () => edited(first('audit_checkpoint'), () => ({ root: Buffer.alloc(32).toString('base64') })),
      /does not verify: rows/,
    ],
  ])('%s', async (_, make, says) => {
    expect(await refusalOf(target, make())).toMatch(says)
  })

  test('a log that was written again or cut off', async () => {
    const rows = lines.filter(isOf('audit_row')).map((line) => JSON.parse(line).audit_row)
    for (const length of [rows.length, 10]) {
      let prevHash = genesisHash
      const forged = rows.slice(0, length).map((row) => {
        const { namespace_id, principal_id, request_id, prev_hash: _, hash: __, ...rest } = { ...row, target: 'forged' }
        const hash = auditHash({
          ...rest,
          namespace: 'alpha',
          principalId: principal_id,
          requestId: request_id,
          prevHash,
        })
        const record = { ...row, target: 'forged', prev_hash: prevHash, hash }
        prevHash = hash
        return JSON.stringify({ audit_row: record })
      })
      const head = { audit_seq: length, audit_hash: prevHash }
      const file = edited(first('head'), () => head).filter((line) => !isOf('audit_row')(line))
      const at = file.findIndex(isOf('audit_node'))
      expect(await refusalOf(target, sealed(file.toSpliced(at, 0, ...forged)))).toMatch(
        /^the audit log of alpha does not verify/,
      )
    }
  })
})

test('a file that is changed between its two readings is refused', async () => {
  let readings = 0
  const other = changed(first('unit'), (line) => line.replace(/"updated_at":\d/, '"updated_at":9'))
  const outcome = transferWithin(target).import({
    lines: async function* () {
      yield readings++ === 0 ? lines : other
    },
  })
  await expect(outcome).rejects.toThrow('the file was changed while it was read')
})

test('exporting what is not there is refused', async () => {
  await expect(exportedLines(target, 'nowhere')).rejects.toThrow('there is no namespace "nowhere"')
})

test('what fits comes into a service that runs, once; what hangs on elsewhere is left out', async () => {
  // The same id, but another principal.
  await target.principal({ id: 'outsider', namespace: 'elsewhere' })
  const { leftOut, unknownKeys } = await importLines(target, lines)
  expect({ leftOut, unknownKeys }).toEqual({ leftOut: { grant: 1 }, unknownKeys: [] })
  const search = { token: world.callers.owner ?? '', body: { q: 'ferry in the fog', top_k: 20 } }
  const hitsOf = async (app: TestApp) => (await app.call('POST', '/v1/search', search)).body.hits
  const there = await hitsOf(source)
  expect(there.length).toBeGreaterThan(5)
  // Indexing runs after the import.
  await expect.poll(() => hitsOf(target)).toEqual(there)
  before = await settled()
  objects = await stored()
  expect(objects).toHaveLength(2)
  expect(await refusalOf(target, lines)).toBe('a record namespace already exists here')
})

test('a person whose address is taken is left out, and a log under an unknown key is reported', async () => {
  await openBrowser(target).signUp('ada@example.com')
  const other = await bootWorld(await createStorage(), [Buffer.alloc(32, 9)])
  try {
    const ada = openBrowser(other)
    await ada.signUp('ada@example.com')
    await ada.call('POST', '/v1/namespaces', { body: { namespace: 'ada-logs' } })
    const auditor = await other.principal({ id: 'auditor', namespace: 'ada-logs' })
    await sqlOf(other)("UPDATE namespace SET tier = 'enterprise' WHERE name = 'ada-logs'")
    expect((await other.call('GET', '/v1/audit/checkpoint', { token: auditor })).status).toBe(200)
    const { leftOut, unknownKeys } = await importLines(target, await exportedLines(other, 'ada-logs'))
    expect({ leftOut, unknownKeys }).toEqual({ leftOut: { auth_user: 1, auth_account: 1 }, unknownKeys: ['ada-logs'] })
    // No user account is linked to the imported principals. Keys work, and from now on this service signs the log.
    const [linked] = await sqlOf(target)<{ n: number }>(
      `SELECT count(*)::int AS n FROM principal p JOIN namespace h ON h.id = p.namespace_id
       WHERE h.name = 'ada-logs' AND p.user_id IS NOT NULL`,
    )
    expect(linked).toEqual({ n: 0 })
    const { body } = await target.call('GET', '/v1/audit/verify', { token: auditor })
    expect(body).toMatchObject({ intact: true })
  } finally {
    await other.close()
    before = await settled()
  }
})
