import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { apiKeysOf, errorOf } from '../../support/access/api-keys.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { listen } from '../../support/process/http-server.ts'
import { sha256, sourcesOf } from '../../support/sources/uploads.ts'

const maxSourceBytes = 64 * 1024
let app: TestApp
let sources: ReturnType<typeof sourcesOf>
let token: string
let now = Date.now()

beforeAll(async () => {
  app = await boot({ config: { maxSourceBytes }, bindings: { clock: { now: () => now } } })
  sources = sourcesOf(app)
  token = await app.principal({ id: 'librarian', namespace: 'library' })
})
afterAll(() => app.close())

/** The files of the object store, without folders. */
async function stored(): Promise<string[]> {
  const files = await readdir(join(app.storage.dataDir, 'objects'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  )
  return files.filter((entry) => entry.isFile()).map(({ name }) => name)
}

const gone = {
  error: 'not_found',
  detail: 'no such upload: the link was used, is in use or has expired; request another one',
  status: 404,
}

function chunked(...parts: (string | (() => Promise<string>))[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const part = parts.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(Buffer.from(typeof part === 'string' ? part : await part()))
    },
  })
}

describe('an upload', () => {
  it('has a size and formats, of which the options tell', async () => {
    const loader = await app.principal({ id: 'loader', namespace: 'quay', grants: [{ scope: '*', perms: ['write'] }] })
    const query = '{ uploadOptions { maxBytes formats { name extensions } } }'
    const { maxBytes, formats } = (await app.graphql(query, {}, { token: loader })).body.data.uploadOptions
    expect(maxBytes).toBe(maxSourceBytes)
    expect(formats).toContainEqual({ name: 'a PDF document', extensions: ['pdf'] })
    const make = (bytes: number) => sources.createUpload({ bytes }, { token: loader, scope: '*' })
    expect((await make(maxBytes)).body.errors).toBeUndefined()
    expect((await make(maxBytes + 1)).body.errors[0].message).toBe(`bytes: must be at most ${maxBytes}`)
  })

  it('keeps the bytes and says what they are, once', async () => {
    const { body } = await sources.createUpload({ bytes: 5, name: 'a.md', mime: 'image/png' }, { token })
    const { url, expiresAt } = body.data.createUpload
    expect(url).toMatch(/^\/uploads\/[0-9A-Za-z]{32}$/)
    expect(expiresAt).toBe(now + 10 * 60_000)
    const reply = await sources.put(url, 'hello')
    expect(reply).toMatchObject({
      status: 200,
      body: { mime: 'text/markdown', bytes: 5, sha256: sha256('hello') },
    })
    expect(Object.keys(reply.body).sort()).toEqual(['bytes', 'mime', 'sha256', 'source_uri'])
    expect(reply.body.source_uri).toMatch(/^source:\/\/source_\w{22}$/)
    expect(await sources.put(url, 'hello')).toMatchObject({ status: 404, body: gone })
    const { rows } = (await app.call('GET', '/v1/audit', { token })).body
    expect(rows[0]).toMatchObject({
      action: 'source.create',
      target: reply.body.source_uri,
      principal_id: 'librarian',
      detail: { bytes: 5, sha256: sha256('hello') },
    })
    expect(JSON.stringify(rows)).not.toContain(url.split('/').at(-1))
  })

  it('comes in chunks, up to the largest size', async () => {
    const part = 'x'.repeat(1024)
    const parts = Array.from({ length: 64 }, () => part)
    const url = await sources.uploadUrl({ bytes: maxSourceBytes, sha256: sha256(parts.join('')) }, { token })
    const reply = await sources.put(url, chunked(...parts))
    expect(reply).toMatchObject({ status: 200, body: { bytes: maxSourceBytes, mime: 'text/plain' } })
  })

  it.each([
    [{ bytes: 0 }, 'bytes'],
    [{ bytes: maxSourceBytes + 1 }, 'bytes'],
    [{ bytes: 1, sha256: 'abc' }, 'sha256'],
    [{ bytes: 1, name: 'n'.repeat(256) }, 'name'],
    [{ bytes: 1, name: '' }, 'name'],
  ])('of %j is refused', async (input, field) => {
    const error = errorOf(await sources.createUpload(input, { token }))
    expect(error).toMatchObject({ status: 400, code: 'bad_request' })
    expect(error?.detail).toMatch(new RegExp(`^${field}: `))
  })

  it.each([
    ['fewer bytes', 'hell', 'bytes'],
    ['more bytes', 'hello you', 'bytes'],
    ['fewer bytes in chunks', () => chunked('he', 'l'), 'bytes'],
    ['more bytes in chunks', () => chunked('hel', 'lo', ' you'), 'bytes'],
    ['no bytes', '', 'bytes'],
    ['other bytes', 'jello', 'sha256'],
    ['other bytes in chunks', () => chunked('j', 'ello'), 'sha256'],
  ])('with %s is refused, keeps nothing and leaves the link', async (_, body, field) => {
    const before = await stored()
    const url = await sources.uploadUrl({ bytes: 5, sha256: sha256('hello').toUpperCase() }, { token })
    const sent = typeof body === 'string' ? body : body()
    const headers = typeof body === 'string' ? { 'content-length': `${body.length}` } : undefined
    const reply = await sources.put(url, sent, headers)
    expect(reply).toMatchObject({ status: 400, body: { error: 'bad_request', status: 400 } })
    expect(reply.body.detail).toMatch(new RegExp(`^${field}: `))
    expect(await stored()).toEqual(before)
    expect((await sources.put(url, 'hello')).status).toBe(200)
  })

  it('with another declared length is refused before its body is read', async () => {
    const url = await sources.uploadUrl({ bytes: 5 }, { token })
    let read = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          read += 1
          controller.enqueue(Buffer.from('x'))
        },
      },
      { highWaterMark: 0 },
    )
    const reply = await sources.put(url, body, { 'content-length': '6' })
    expect([reply.status, read]).toEqual([400, 0])
  })

  it('that breaks off keeps nothing and leaves the link', async () => {
    const before = await stored()
    const url = await sources.uploadUrl({ bytes: 5 }, { token })
    const broken = chunked('he', () => Promise.reject(new Error('gone')))
    expect((await sources.put(url, broken)).status).toBeGreaterThanOrEqual(400)
    expect(await stored()).toEqual(before)
    expect((await sources.put(url, 'hello')).status).toBe(200)
  })

  it('whose client closes its connection leaves the link', async () => {
    const server = await listen(app)
    const url = await sources.uploadUrl({ bytes: 5 }, { token })
    const socket = connect(server.port, '127.0.0.1')
    socket.end(`PUT ${url} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe`)
    expect(await text(socket)).toContain('HTTP/1.1 400 ')
    await expect.poll(async () => (await sources.put(url, 'hello')).status).toBe(200)
    await server.close()
  })

  it('is the only one of its link that is under way', async () => {
    const url = await sources.uploadUrl({ bytes: 5 }, { token })
    const [begun, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
    const rest = () => {
      begun.resolve()
      return waiting.promise
    }
    const looked = vi.spyOn(app.runtime.bindings.catalog.sourceLinks, 'upload')
    const first = sources.put(url, chunked('he', rest))
    await begun.promise
    // The link counts as in use before it is looked up.
    await expect.poll(() => looked.mock.calls.length).toBe(1)
    looked.mockRestore()
    expect(await sources.put(url, 'hello')).toMatchObject({ status: 404, body: gone })
    waiting.resolve('llo')
    expect((await first).status).toBe(200)
    const race = await sources.uploadUrl({ bytes: 5 }, { token })
    const replies = await Promise.all(Array.from({ length: 6 }, () => sources.put(race, 'hello')))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404])
  })

  it('is 404 by other methods and at other addresses', async () => {
    const url = await sources.uploadUrl({ bytes: 5 }, { token })
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect((await sources.send(method, url, null)).status, method).toBe(404)
    }
    for (const path of ['/uploads/', '/uploads/short', `/uploads/${'0'.repeat(32)}`, `${url}/more`, `/v1${url}`]) {
      expect((await sources.put(path, 'hello')).status, path).toBe(404)
    }
    expect((await sources.put(url, 'hello')).status).toBe(200)
  })

  it('ends after ten minutes', async () => {
    const url = await sources.uploadUrl({ bytes: 5 }, { token })
    now += 10 * 60_000
    expect(await sources.put(url, 'hello')).toMatchObject({ status: 404, body: gone })
  })

  it('ends with its key, its principal and its right to write', async () => {
    const keys = apiKeysOf(app)
    const { id, token: key } = await keys.mint(token)
    const url = await sources.uploadUrl({ bytes: 5 }, { token: key })
    await keys.revoke(id, { token })
    expect(await sources.put(url, 'hello')).toMatchObject({ status: 404, body: gone })

    const short = await sources.createUpload(
      { bytes: 5 },
      { token: (await keys.mint(token, { expiresAt: now + 1000 })).token },
    )
    expect(short.body.data.createUpload.expiresAt).toBe(now + 1000)

    const guest = await app.principal({ id: 'guest', namespace: 'library' })
    const theirs = await sources.uploadUrl({ bytes: 5 }, { token: guest })
    expect((await app.call('DELETE', '/v1/principals/guest', { token })).status).toBe(200)
    expect(await sources.put(theirs, 'hello')).toMatchObject({ status: 404, body: gone })
  })

  it('needs write', async () => {
    const reader = await app.principal({
      id: 'reader',
      namespace: 'library',
      grants: [{ scope: '*', perms: ['read'] }],
    })
    expect(errorOf(await sources.createUpload({ bytes: 1 }, { token: reader }))).toMatchObject({ status: 403 })
    const { token: key } = await apiKeysOf(app).mint(token, { perms: ['read'] })
    expect(errorOf(await sources.createUpload({ bytes: 1 }, { token: key }))).toMatchObject({ status: 403 })
    expect(errorOf(await sources.createUpload({ bytes: 1 }, {}))).toMatchObject({ status: 401 })
  })
})

describe('a source that nothing names', () => {
  const removed = async () => {
    const { purging } = app.runtime.domain
    purging.kick()
    await purging.idle()
    return stored()
  }
  const named = async (uri: string) => (await stored()).some((name) => name.startsWith(uri.slice('source://'.length)))

  it('is removed after a day, and a named one stays', async () => {
    await removed()
    const lost = await sources.upload('nobody points at this', { token })
    const kept = await sources.upload('a Unit points at this', { token })
    const foreign = await sources.upload('only another one points at this', { token })
    await sources.unit({ text: 'a', source_uri: kept }, { token })
    const other = await app.principal({ id: 'other', namespace: 'library' })
    await sources.unit({ text: 'a', source_uri: foreign }, { token: other })
    now += 12 * 3_600_000
    await removed()
    expect([await named(lost), await named(kept), await named(foreign)]).toEqual([true, true, true])
    now += 13 * 3_600_000
    await removed()
    expect([await named(lost), await named(kept), await named(foreign)]).toEqual([false, true, false])
  })

  it('has a day from when it was named last', async () => {
    const uri = await sources.upload('moved on', { token })
    const unit = { text: 'a', external_id: 'moving', source_uri: uri }
    await sources.unit(unit, { token })
    now += 30 * 3_600_000
    await removed()
    await sources.unit({ ...unit, source_uri: 'https://elsewhere.example/' }, { token })
    now += 3_600_000
    await removed()
    expect(await named(uri)).toBe(true)
    now += 25 * 3_600_000
    await removed()
    expect(await named(uri)).toBe(false)
  })
})
