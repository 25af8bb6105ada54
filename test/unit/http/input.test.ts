import { describe, expect, it } from 'vitest'
import { toWireName, toWirePath } from '../../../src/http/rest/input.ts'
import { createClient, detailOf, parsed } from './fixture.ts'

const { call } = createClient()
const ingest = (body: unknown) => call('POST', '/v1/ingest', body)
const unknownField =
  'unknown field; must be one of text, modality, doc_id, t_start_ms, weight, hidden, acl_groups, metadata, vector, vector_base64'
const unit = (fields: Record<string, unknown>) => ingest({ units: [fields] })

describe('the body', () => {
  it('maps fields by type and leaves metadata as sent', async () => {
    const metadata = { camelKey: 'a', snake_key: 1, list: ['x'] }
    const answer = await unit({ text: 'hi', doc_id: 'd1', modality: 'image_region', metadata, t_start_ms: 2 ** 40 })
    expect(answer.body).toEqual({ units: [{ unit_id: 'd1', text: 'hi', metadata }] })
  })

  it('takes null for "not sent" where that is allowed', async () => {
    expect((await unit({ text: null, metadata: null, doc_id: null })).status).toBe(200)
    expect(detailOf(await ingest({ units: null }))).toBe('units: is required')
    expect(detailOf(await ingest({ units: [null] }))).toBe('units[0]: must not be null')
  })

  it.each([
    [{ colour: 1 }, `units[0].colour: ${unknownField}`],
    [{ docId: 'x' }, `units[0].docId: ${unknownField}`],
    [{ constructor: 'x' }, `units[0].constructor: ${unknownField}`],
    [{ text: 5 }, 'units[0].text: must be a string'],
    [{ doc_id: 5 }, 'units[0].doc_id: must be a string'],
    [{ hidden: 'true' }, 'units[0].hidden: must be true or false'],
    [{ weight: '1' }, 'units[0].weight: must be a number'],
    [{ t_start_ms: 1.5 }, 'units[0].t_start_ms: must be an integer'],
    [{ t_start_ms: '1' }, 'units[0].t_start_ms: must be an integer'],
    [{ t_start_ms: 2 ** 60 }, 'units[0].t_start_ms: must be an integer of at most 53 bits'],
    [{ modality: 'song' }, 'units[0].modality: must be one of text, image_region'],
    [{ acl_groups: 'all' }, 'units[0].acl_groups: must be a list'],
    [{ acl_groups: ['a', 1] }, 'units[0].acl_groups[1]: must be a string'],
    [{ acl_groups: [null] }, 'units[0].acl_groups[0]: must not be null'],
    [{ metadata: 'x' }, 'units[0].metadata: must be an object'],
    [{ vector: 'x' }, 'units[0].vector: must be a list of numbers'],
    [{ ['k'.repeat(200)]: 1 }, `units[0].${'k'.repeat(64)}…: ${unknownField}`],
  ])('refuses the Unit %o', async (fields, detail) => {
    const answer = await unit(fields)
    expect(answer.body).toEqual({ error: 'bad_request', detail, status: 400 })
  })

  it('names its fields, without a name of its own', async () => {
    expect(detailOf(await call('POST', '/v1/search', {}))).toBe('q: is required')
    expect(detailOf(await call('POST', '/v1/scopes', {}))).toBe('scope: is required')
    expect(detailOf(await call('POST', '/v1/scopes', { scope: 'a', readOnlyAgents: true }))).toBe(
      'readOnlyAgents: unknown field; must be one of scope, read_only_agents',
    )
    expect((await call('POST', '/v1/scopes', { scope: 'a', read_only_agents: true })).body).toEqual({ scope: 'a' })
    const oneOf = 'exactly one of ids, doc_id is required'
    expect(detailOf(await call('POST', '/v1/units:delete', {}))).toBe(oneOf)
    expect(detailOf(await call('POST', '/v1/units:delete', { ids: ['a'], doc_id: 'b' }))).toBe(oneOf)
    expect((await call('POST', '/v1/units:delete', { ids: ['a'], doc_id: null })).body).toEqual({ matched: 0 })
  })

  it('is JSON: an object, in UTF-8', async () => {
    const cases: [unknown, string][] = [
      ['', 'a JSON body is required'],
      ['{', 'the body must be valid JSON'],
      ['null', 'the body must be a JSON object'],
      ['[]', 'the body must be a JSON object'],
      [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'the body must be valid UTF-8'],
      ['[]'.padStart(2_000_000, '['), '[0][0][0][0]: must be nested at most 32 levels deep'],
      [
        `{"units":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
        'units[0][0][0]: must be nested at most 32 levels deep',
      ],
    ]
    for (const [body, detail] of cases) expect(detailOf(await ingest(body))).toBe(detail)
  })

  it('keeps the last of duplicate keys', async () => {
    expect((await call('POST', '/v1/scopes', '{"scope":"a","scope":"b"}')).body).toEqual({ scope: 'b' })
  })

  it('refuses text that no store could keep, wherever it stands', async () => {
    const unclean = 'must not contain NUL or an unpaired surrogate'
    const cases: [string, string][] = [
      ['{"units":[{"text":"a\\u0000"}]}', `units[0].text: ${unclean}`],
      ['{"units":[{"text":"\\ud800"}]}', `units[0].text: ${unclean}`],
      ['{"units":[{"metadata":{"k":["x","\\udc00"]}}]}', `units[0].metadata.k[1]: ${unclean}`],
      ['{"units":[{"metadata":{"\\u0000":1}}]}', `units[0].metadata: a field name ${unclean}`],
      ['{"units":[{"metadata":{"n":1e999}}]}', 'units[0].metadata.n: must be a finite number'],
    ]
    for (const [body, detail] of cases) expect(detailOf(await ingest(body))).toBe(detail)
    expect((await ingest('{"units":[{"text":"\\ud83d\\ude00"}]}')).status).toBe(200)
  })

  it('cannot reach a prototype', async () => {
    const places = [
      '{"__proto__":{"admin":true}}',
      '{"units":[],"\\u005f_proto__":1}',
      '{"units":[{"metadata":{"__proto__":{}}}]}',
    ]
    for (const body of places)
      expect(detailOf(await ingest(body))).toMatch(
        /__proto__: (?:must not be a field name|unknown field; must be one of .*)$/,
      )
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  it('parses each vector once', async () => {
    parsed.vectors = 0
    const vector = Array.from({ length: 1024 }, (_, i) => i / 1024)
    expect((await ingest({ units: Array.from({ length: 200 }, () => ({ vector })) })).status).toBe(200)
    expect(parsed.vectors).toBe(200)
  })
})

describe('names', () => {
  it('change case, and stop at the caller’s own words', () => {
    expect(toWireName('tStartMs')).toBe('t_start_ms')
    expect(toWirePath(['filters', 'createdAfter'])).toEqual(['filters', 'created_after'])
    expect(toWirePath(['units', 2, 'metadata', 'camelKey'])).toEqual(['units', 2, 'metadata', 'camelKey'])
    expect(toWirePath(['vector', 'docVisual', 0])).toEqual(['vector', 'doc_visual', 0])
  })
})
