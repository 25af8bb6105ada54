import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKeysOf, errorOf } from '../../support/access/api-keys.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import { sha256, sourcesOf } from '../../support/sources/uploads.ts'

const friendly = 'https://console.example'
let app: TestApp
let sources: ReturnType<typeof sourcesOf>
let token: string
let now = Date.now()

beforeAll(async () => {
  app = await boot({ config: { allowedOrigins: [friendly] }, bindings: { clock: { now: () => now } } })
  sources = sourcesOf(app)
  token = await app.principal({ id: 'librarian', namespace: 'library', groups: ['staff'] })
})
afterAll(() => app.close())

const gone = {
  error: 'not_found',
  detail: 'no such source link: it has expired, or its Unit cannot be read; request another one',
  status: 404,
}
const noSource = {
  status: 404,
  code: 'not_found',
  detail: 'no such source: the Unit must be one that you may read, with a source that was uploaded',
}

const text = 'The ferry leaves at noon.\r\nIt is back at four.\n'

/** A Unit with an uploaded source. */
async function kept(
  bytes: string | Uint8Array = text,
  facts: object = { name: 'ferry.md' },
  unit: object = {},
  as = token,
) {
  const uri = await sources.upload(bytes, { token: as }, facts)
  const unitId = await sources.unit({ text: 'ferry', source_uri: uri, acl_groups: ['*'], ...unit }, { token: as })
  return { uri, unitId }
}

const get = (url: string, headers?: Record<string, string>) => sources.send('GET', url, null, headers)

describe('a link', () => {
  it('serves the source, any number of times, to anyone who has it', async () => {
    const { unitId } = await kept()
    const { body } = await sources.sourceLink({ unitId }, { token })
    const { url, ...facts } = body.data.sourceLink
    expect(url).toMatch(/^\/sources\/[0-9A-Za-z]{32}$/)
    expect(facts).toEqual({
      expiresAt: now + 5 * 60_000,
      mime: 'text/markdown',
      bytes: text.length,
      sha256: sha256(text),
      name: 'ferry.md',
      inline: true,
    })
    for (const method of ['GET', 'HEAD', 'GET']) {
      const reply = await sources.send(method, url, null)
      expect(reply.status).toBe(200)
      expect(`${reply.bytes}`).toBe(method === 'HEAD' ? '' : text)
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'content-length': `${text.length}`,
        'content-disposition': 'inline; filename="ferry.md"',
        'accept-ranges': 'bytes',
        etag: `"${sha256(text)}"`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'self'",
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'x-request-id': expect.any(String),
      })
    }
  })

  it('serves parts', async () => {
    const { unitId } = await kept()
    const url = await sources.link(unitId, { token })
    const n = text.length
    const etag = `"${sha256(text)}"`
    const part = async (range: string, headers = {}) => {
      const { status, headers: sent, bytes } = await get(url, { range, ...headers })
      return [status, sent.get('content-range'), `${bytes}`, sent.get('content-length')]
    }
    expect(await part('bytes=4-8')).toEqual([206, `bytes 4-8/${n}`, 'ferry', '5'])
    expect(await part('bytes=40-')).toEqual([206, `bytes 40-${n - 1}/${n}`, text.slice(40), `${n - 40}`])
    expect(await part('bytes=-6')).toEqual([206, `bytes ${n - 6}-${n - 1}/${n}`, text.slice(-6), '6'])
    expect(await part('bytes=-999')).toEqual([206, `bytes 0-${n - 1}/${n}`, text, `${n}`])
    expect(await part('bytes=0-999')).toEqual([206, `bytes 0-${n - 1}/${n}`, text, `${n}`])
    expect(await part('bytes=0-0', { 'if-range': etag })).toEqual([206, `bytes 0-0/${n}`, 'T', '1'])
    for (const whole of ['bytes=0-1,4-5', 'bytes=5-4', 'bytes=', 'lines=1-2', 'bytes=a-b']) {
      expect(await part(whole)).toEqual([200, null, text, `${n}`])
    }
    expect(await part('bytes=0-1', { 'if-range': '"other"' })).toEqual([200, null, text, `${n}`])
    expect(await part('bytes=0-1', { 'if-range': `W/${etag}` })).toEqual([200, null, text, `${n}`])
    for (const outside of [`bytes=${n}-`, `bytes=${n + 5}-${n + 9}`, 'bytes=-0']) {
      const reply = await get(url, { range: outside })
      expect([reply.status, reply.headers.get('content-range')]).toEqual([416, `bytes */${n}`])
      expect(reply.body).toMatchObject({ error: 'range_not_satisfiable', status: 416 })
    }
    const head = await sources.send('HEAD', url, null, { range: 'bytes=4-8' })
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([206, '5', 0])
    for (const known of [etag, `"x", W/${etag}`, '*']) {
      const reply = await get(url, { 'if-none-match': known, range: 'bytes=0-1' })
      expect([reply.status, reply.bytes.length, reply.headers.get('etag')]).toEqual([304, 0, etag])
    }
    expect((await get(url, { 'if-none-match': '"x"' })).status).toBe(200)
  })

  it('ends after five minutes, and is 404 by other methods and at other addresses', async () => {
    const { unitId } = await kept()
    const url = await sources.link(unitId, { token })
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await sources.send(method, url, null)).status, method).toBe(404)
    }
    for (const path of ['/sources/', `/sources/${'0'.repeat(32)}`, `${url}/x`, `/v1${url}`]) {
      expect((await get(path)).status, path).toBe(404)
    }
    expect((await get(url)).status).toBe(200)
    now += 5 * 60_000
    expect(await get(url)).toMatchObject({ status: 404, body: gone })
  })

  it('is recorded: made once, used once', async () => {
    const { unitId, uri } = await kept()
    const url = await sources.link(unitId, { token })
    const unused = await sources.link(unitId, { token })
    for (const method of ['GET', 'HEAD', 'GET']) await sources.send(method, url, null)
    const { rows } = (await app.call('GET', '/v1/audit', { token })).body
    const seen = rows.filter(({ target }: { target: string }) => target === unitId)
    expect(seen.map(({ action }: { action: string }) => action)).toEqual(['source.read', 'source.link', 'source.link'])
    expect(seen[0]).toMatchObject({ principal_id: 'librarian', detail: { source_uri: uri, rendition: 'original' } })
    for (const path of [url, unused]) expect(JSON.stringify(rows)).not.toContain(path.split('/').at(-1))
  })

  it('is for pages of allowed origins', async () => {
    const { unitId } = await kept()
    const url = await sources.link(unitId, { token })
    const allowed = await get(url, { origin: friendly })
    expect(allowed.headers.get('access-control-allow-origin')).toBe(friendly)
    expect(allowed.headers.get('access-control-expose-headers')).toContain('content-range')
    const foreign = await get(url, { origin: 'https://evil.example' })
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    const preflight = { origin: friendly, 'access-control-request-method': 'PUT' }
    const upload = await sources.uploadUrl({ bytes: 1 }, { token })
    const asked = await sources.send('OPTIONS', upload, null, preflight)
    expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([204, 'PUT'])
    const refused = await sources.send('OPTIONS', upload, null, { ...preflight, origin: 'https://evil.example' })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([404, null])
  })
})

describe('who may open a source', () => {
  const refused = async (unitId: string, as: string) =>
    expect(errorOf(await sources.sourceLink({ unitId }, { token: as }))).toEqual(noSource)

  it('nobody, of a Unit that is unknown, hidden, or without a kept source', async () => {
    const other = await app.principal({ id: 'other', namespace: 'library' })
    const { unitId } = await kept(text, {}, { acl_groups: ['staff'] })
    await refused('unknown', token)
    await refused(unitId, other)
    for (const source_uri of ['https://example.com/a', 'source://source_unknown', '../../secrets', undefined]) {
      await refused(await sources.unit({ text: 'a', source_uri }, { token }), token)
    }
    const stranger = await app.principal({ id: 'stranger', namespace: 'elsewhere' })
    await refused(unitId, stranger)
    expect(
      (await sources.sourceLink({ unitId }, { token: superAdminToken, namespace: 'library' })).body.data.sourceLink,
    ).not.toBeNull()
  })

  it('nobody, by naming what another principal uploaded', async () => {
    const { uri } = await kept(text, {}, { acl_groups: [] })
    const thief = await app.principal({ id: 'thief', namespace: 'library' })
    await refused(await sources.unit({ text: 'mine now', source_uri: uri }, { token: thief }), thief)
    const abroad = await app.principal({ id: 'abroad', namespace: 'elsewhere' })
    await refused(await sources.unit({ text: 'mine now', source_uri: uri }, { token: abroad }), abroad)
    // In a Unit of the uploader that others may change, too.
    const shared = await sources.unit({ text: 'shared', acl_groups: ['*'] }, { token })
    await sources.unit({ unit_id: shared, text: 'shared', source_uri: uri, acl_groups: ['*'] }, { token: thief })
    await refused(shared, thief)
    await refused(shared, token)
    // The uploader itself may name it there.
    await sources.unit({ unit_id: shared, text: 'shared', source_uri: uri, acl_groups: ['*'] }, { token })
    expect(`${(await get(await sources.link(shared, { token: thief }))).bytes}`).toBe(text)
    // And another one that sends the same again changes nothing.
    await sources.unit({ unit_id: shared, text: 'new', source_uri: uri, acl_groups: ['*'] }, { token: thief })
    expect((await get(await sources.link(shared, { token: thief }))).status).toBe(200)
  })

  it('a restricted key, only within its restrictions', async () => {
    const keys = apiKeysOf(app)
    const { uri, unitId } = await kept(text, {}, { plane: 'audio' })
    const { token: narrow } = await keys.mint(token, { planes: ['text'] })
    await refused(unitId, narrow)
    // Nor by a Unit of its own that names what was uploaded with another key.
    await refused(await sources.unit({ text: 'within', source_uri: uri }, { token: narrow }), narrow)
    const own = await kept('own', {}, {}, narrow)
    expect((await get(await sources.link(own.unitId, { token: narrow }))).status).toBe(200)
    const { token: blind } = await keys.mint(token, { perms: ['write'] })
    expect(errorOf(await sources.sourceLink({ unitId }, { token: blind }))).toMatchObject({ status: 403 })
  })

  it('an agent, where it may read', async () => {
    const grants = [{ scope: 'shelf', perms: ['read'] as const }]
    const agent = await app.principal({ id: 'agent', namespace: 'library', kind: 'agent', grants })
    const { unitId } = await kept()
    expect((await get(await sources.link(unitId, { token: agent }))).status).toBe(200)
    const { unitId: hidden } = await kept(text, {}, { acl_groups: [] })
    await refused(hidden, agent)
    expect(errorOf(await sources.createUpload({ bytes: 1 }, { token: agent }))).toMatchObject({ status: 403 })
  })
})

describe('a link is dead', () => {
  const opened = async (unit: object = {}) => {
    const { unitId, uri } = await kept(text, {}, unit)
    const reader = await app.principal({ id: `reader-${unitId}`, namespace: 'library', groups: ['staff'] })
    const { id, token: key } = await apiKeysOf(app).mint(reader)
    const url = await sources.link(unitId, { token: key })
    expect((await get(url)).status).toBe(200)
    const isDead = async () => expect(await get(url)).toMatchObject({ status: 404, body: gone })
    return { unitId, uri, reader, readerId: `reader-${unitId}`, key: id, url, isDead }
  }

  it('when its key is revoked', async () => {
    const { reader, key, isDead } = await opened()
    await apiKeysOf(app).revoke(key, { token: reader })
    await isDead()
  })

  it('when its key has expired', async () => {
    const { unitId } = await kept()
    const { token: key } = await apiKeysOf(app).mint(token, { expiresAt: now + 1000 })
    const { body } = await sources.sourceLink({ unitId }, { token: key })
    expect(body.data.sourceLink.expiresAt).toBe(now + 1000)
    now += 1000
    expect((await get(body.data.sourceLink.url)).status).toBe(404)
  })

  it('when its principal is gone', async () => {
    const { readerId, isDead } = await opened()
    expect((await app.call('DELETE', `/v1/principals/${readerId}`, { token })).status).toBe(200)
    await isDead()
  })

  it.each([false, true])('when the Unit is deleted (hard: %s)', async (hard) => {
    const { unitId, isDead } = await opened()
    await app.call('POST', '/v1/units:delete', { token, body: { ids: [unitId], hard } })
    await isDead()
  })

  it('when the ACL narrows', async () => {
    const { unitId, isDead } = await opened({ acl_groups: ['staff'] })
    const narrow = 'mutation ($id: String!) { updateUnit(unitId: $id, input: { aclGroups: [] }) { seq } }'
    expect(errorOf(await app.graphql(narrow, { id: unitId }, { token }))).toBeNull()
    await isDead()
  })

  it('when the Unit has another source', async () => {
    const { unitId, isDead } = await opened()
    const uri = await sources.upload('other', { token })
    await sources.unit({ unit_id: unitId, text: 'ferry', source_uri: uri, acl_groups: ['*'] }, { token })
    await isDead()
  })

  it('when the scope is deleted', async () => {
    const { unitId, isDead } = await opened({ scope: 'shelf/top' })
    expect(unitId).toBeTruthy()
    expect((await app.call('DELETE', '/v1/scopes/shelf%2Ftop', { token })).status).toBe(200)
    await isDead()
  })
})

describe('what is served', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
    'base64',
  )
  const pdf = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')
  const utf16 = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('Fähre', 'utf16le')])
  const latin1 = Buffer.from('Die F\xe4hre', 'latin1')
  const badByte = Buffer.concat([Buffer.from('Größe der Fähre, über'), Buffer.of(0xff)])

  it.each([
    ['a picture, whatever its uploader says', png, { mime: 'text/html' }, 'image/png', 'image/png', true],
    ['a PDF', pdf, {}, 'application/pdf', 'application/pdf', true],
    ['HTML', '<!-- x --><!DOCTYPE html><p>', { mime: 'text/plain' }, 'text/html', 'text/html; charset=utf-8', false],
    [
      'HTML that only its uploader knows',
      '<p>hi',
      { mime: 'text/html' },
      'text/html',
      'text/html; charset=utf-8',
      false,
    ],
    [
      'SVG',
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      { mime: 'image/png' },
      'image/svg+xml',
      'image/svg+xml; charset=utf-8',
      false,
    ],
    [
      'SVG with a prologue',
      '<?xml version="1.0"?>\n<svg/>',
      {},
      'image/svg+xml',
      'image/svg+xml; charset=utf-8',
      false,
    ],
    ['XML', '<?xml version="1.0"?><feed/>', {}, 'application/xml', 'application/xml; charset=utf-8', false],
    ['CSV', 'a,b\n', { name: 'a.csv' }, 'text/csv', 'text/plain; charset=utf-8', true],
    ['JSON', '{"a":1}', { mime: 'application/json' }, 'application/json', 'text/plain; charset=utf-8', true],
    ['text that begins like a bitmap', 'BM25 is a ranking.', {}, 'text/plain', 'text/plain; charset=utf-8', true],
    ['text in UTF-16', utf16, {}, 'text/plain', 'text/plain; charset=utf-16le', true],
    ['text in UTF-16 without a BOM', utf16.subarray(2), {}, 'text/plain', 'text/plain; charset=utf-16le', true],
    ['text with a bad byte', badByte, {}, 'text/plain', 'text/plain; charset=utf-8', true],
    ['text in another encoding', latin1, {}, 'text/plain', 'text/plain; charset=windows-1252', true],
    [
      'unknown bytes',
      Buffer.of(0, 1, 2, 3),
      { mime: 'image/png' },
      'application/octet-stream',
      'application/octet-stream',
      false,
    ],
    [
      'a sound',
      Buffer.from(
        'RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0',
        'latin1',
      ),
      {},
      'audio/wav',
      'audio/wav',
      true,
    ],
  ])('%s', async (_, bytes, facts, mime, contentType, inline) => {
    const { unitId } = await kept(bytes, facts)
    const { body } = await sources.sourceLink({ unitId }, { token })
    expect(body.data.sourceLink).toMatchObject({ mime, inline })
    const reply = await get(body.data.sourceLink.url)
    expect(reply.headers.get('content-type')).toBe(contentType)
    expect(reply.headers.get('content-disposition')).toMatch(inline ? /^inline;/ : /^attachment;/)
    expect(reply.bytes).toEqual(Buffer.from(bytes))
  })

  it.each([
    ['Fähre "2".md', `inline; filename="F_hre _2_.md"; filename*=UTF-8''F%C3%A4hre%20%222%22.md`],
    ['notes/a b.md', 'inline; filename="a b.md"'],
    ["it's 50%\r\n.md", `inline; filename="it's 50_.md"; filename*=UTF-8''it%27s%2050%25.md`],
    ['..', 'inline; filename=".."'],
  ])('under the name %j', async (name, header) => {
    const { unitId } = await kept(text, { name })
    expect((await get(await sources.link(unitId, { token }))).headers.get('content-disposition')).toBe(header)
  })

  it('what createSource stored', async () => {
    const upload = `mutation { createSource(input: { data: "${png.toString('base64')}", mime: "text/html" }) { sourceUri mime } }`
    const { sourceUri, mime } = (await app.graphql(upload, {}, { token })).body.data.createSource
    expect(mime).toBe('text/html')
    const unitId = await sources.unit({ text: 'a', source_uri: sourceUri }, { token })
    const { body } = await sources.sourceLink({ unitId }, { token })
    expect(body.data.sourceLink).toMatchObject({ mime: 'image/png', name: null, inline: true })
    const reply = await get(body.data.sourceLink.url)
    expect(reply.headers.get('content-disposition')).toMatch(/^inline; filename="source_\w+"$/)
  })

  it('the text, as UTF-8 without a BOM', async () => {
    const bom = Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(text)])
    for (const [bytes, expected] of [
      [Buffer.from(text), text],
      [bom, text],
      [utf16, 'Fähre'],
      [latin1, 'Die Fähre'],
    ] as const) {
      const { unitId } = await kept(bytes)
      const { body } = await sources.sourceLink({ unitId, rendition: 'text' }, { token })
      const { url, ...facts } = body.data.sourceLink
      const length = Buffer.byteLength(expected)
      expect(facts).toMatchObject({ mime: 'text/plain', bytes: length, sha256: sha256(expected), inline: true })
      const whole = await get(url)
      expect(`${whole.bytes}`).toBe(expected)
      expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(whole.headers.get('content-length')).toBe(`${length}`)
      const part = await get(url, { range: 'bytes=1-3' })
      expect(part.bytes).toEqual(Buffer.from(expected).subarray(1, 4))
    }
  })

  it('the text that was extracted, where there is one', async () => {
    for (const bytes of [pdf, Buffer.from('<!doctype html><p>hello')]) {
      const { uri, unitId } = await kept(bytes, { name: 'report' })
      expect(errorOf(await sources.sourceLink({ unitId, rendition: 'text' }, { token }))).toEqual(noSource)
      const home = await app.runtime.bindings.catalog.access.namespace('library')
      const key = `${home?.namespace.id}/${uri.slice('source://'.length)}/text`
      await app.runtime.bindings.objects.put(key, Buffer.from('what it says'))
      const url = await sources.link(unitId, { token }, 'text')
      const reply = await get(url)
      expect(`${reply.bytes}`).toBe('what it says')
      expect(reply.headers.get('content-disposition')).toBe('inline; filename="report.txt"')
      await app.call('POST', '/v1/units:delete', { token, body: { ids: [unitId], hard: true } })
      expect(await app.runtime.bindings.objects.get(key)).toBeNull()
    }
  })
})
