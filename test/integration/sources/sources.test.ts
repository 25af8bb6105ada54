import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type Reply, type TestApp } from '../../support/boot.ts'

const maxSourceBytes = 64 * 1024
const scope = 'shelf'

let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot({ config: { maxSourceBytes } })
  token = await app.principal({ id: 'librarian', namespace: 'library' })
})

afterAll(() => app.close())

const upload = (data: Uint8Array | string, as = token, mime = 'video/mp4') =>
  app.graphql(
    `mutation ($input: CreateSourceInput!) {
      createSource(input: $input) { sourceUri mime bytes sha256 }
    }`,
    { input: { data: typeof data === 'string' ? data : Buffer.from(data).toString('base64'), mime } },
    { token: as },
  )

const bytesOf = (text: string) => new TextEncoder().encode(text)

async function uploaded(text: string): Promise<string> {
  const { body } = await upload(bytesOf(text))
  return body.data.createSource.sourceUri
}

/** Every file in the object store, with its bytes. */
async function stored(): Promise<string[]> {
  const root = join(app.storage.dataDir, 'objects')
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  return Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')))
}

/** Ingests one Unit for each of these pointers; returns their ids. */
async function pointing(sourceUris: readonly string[], as = token): Promise<string[]> {
  const units = sourceUris.map((source_uri, i) => ({ text: `shelf mark ${i}`, source_uri }))
  const { status, body } = await app.call('POST', '/v1/ingest', { token: as, scope, body: { units } })
  expect(status).toBe(200)
  return body.units.map((unit: { unit_id: string }) => unit.unit_id)
}

async function remove(ids: readonly string[], hard: boolean, as = token) {
  const { status, body } = await app.call('POST', '/v1/units:delete', { token: as, body: { ids, hard } })
  expect(status).toBe(200)
  return body as { matched: number; tombstoned: number; purged: number; sources_purged: number }
}

const firstError = ({ body }: Reply): { message: string; extensions: { code: string; status: number } } =>
  body.errors?.[0]

describe('createSource', () => {
  test('keeps the bytes below the data directory and says what it kept', async () => {
    const text = 'a film of the harbour'
    const { body } = await upload(bytesOf(text))
    expect(body).toMatchObject({
      data: {
        createSource: {
          sourceUri: expect.stringMatching(/^source:\/\/source_[A-Za-z0-9]{22}$/),
          mime: 'video/mp4',
          bytes: text.length,
          sha256: createHash('sha256').update(text).digest('hex'),
        },
      },
    })
    expect(await stored()).toContain(text)
    const { storage } = (await app.call('GET', '/v1/catalog/stats', { token })).body
    expect(storage.object_store_gb).toBeGreaterThan(0)
  })

  test('keeps every byte as it is', async () => {
    const all = Uint8Array.from({ length: 512 }, (_, i) => i % 256)
    const { body } = await upload(all)
    expect(body.data.createSource.sha256).toBe(createHash('sha256').update(all).digest('hex'))
  })

  test('takes the largest size allowed, and not a byte more', async () => {
    const before = (await stored()).length
    expect((await upload(new Uint8Array(maxSourceBytes).fill(65))).body.data.createSource.bytes).toBe(maxSourceBytes)
    const tooLarge = firstError(await upload(new Uint8Array(maxSourceBytes + 1).fill(65)))
    expect(tooLarge.extensions).toMatchObject({ code: 'bad_request', status: 400 })
    expect(tooLarge.message).toContain(`${maxSourceBytes}`)
    expect(await stored()).toHaveLength(before + 1)
  })

  test.each([
    ['nothing', ''],
    ['what is not base64', 'not base64!'],
    ['base64 without its padding', 'QUI'],
  ])('refuses %s', async (_, data) => {
    const before = (await stored()).length
    const reply = await upload(data)
    expect(reply.body.data?.createSource ?? null).toBeNull()
    expect(firstError(reply).message).toMatch(/empty|base64/)
    expect(await stored()).toHaveLength(before)
  })

  test('needs a caller, and write', async () => {
    const anonymous = await app.graphql(
      'mutation ($input: CreateSourceInput!) { createSource(input: $input) { sourceUri } }',
      { input: { data: 'QUJD' } },
    )
    expect(firstError(anonymous).extensions).toMatchObject({ code: 'unauthorized', status: 401 })
    const reader = await app.principal({
      id: 'visitor',
      namespace: 'library',
      grants: [{ scope: '*', perms: ['read'] }],
    })
    const refused = await upload(bytesOf('a visitor was here'), reader)
    expect(firstError(refused).extensions).toMatchObject({ code: 'forbidden', status: 403 })
    expect(await stored()).not.toContain('a visitor was here')
  })
})

describe('a source', () => {
  test('goes when the last Unit that points at it is hard-deleted', async () => {
    const uri = await uploaded('film one')
    const ids = await pointing([uri])
    expect(await stored()).toContain('film one')
    expect(await remove(ids, true)).toMatchObject({ matched: 1, purged: 1, tombstoned: 0, sources_purged: 1 })
    expect(await stored()).not.toContain('film one')
    // A second deletion finds nothing.
    expect(await remove(ids, true)).toMatchObject({ matched: 0, purged: 0, sources_purged: 0 })
  })

  test('stays while another live Unit points at it', async () => {
    const uri = await uploaded('film two')
    const [first = '', second = ''] = await pointing([uri, uri])
    expect(await remove([first], true)).toMatchObject({ purged: 1, sources_purged: 0 })
    expect(await stored()).toContain('film two')
    expect(await remove([second], true)).toMatchObject({ purged: 1, sources_purged: 1 })
    expect(await stored()).not.toContain('film two')
  })

  test('goes once when all its Units go together', async () => {
    const uris = [await uploaded('film three'), await uploaded('film four')]
    const ids = await pointing([...uris, ...uris])
    expect(await remove(ids, true)).toMatchObject({ purged: 4, sources_purged: 2 })
    expect(await stored()).not.toContain('film three')
    expect(await stored()).not.toContain('film four')
  })

  test('stays after a soft delete, and goes with the hard delete of what is left', async () => {
    const uri = await uploaded('film five')
    const ids = await pointing([uri])
    expect(await remove(ids, false)).toMatchObject({ tombstoned: 1, sources_purged: 0 })
    await app.runtime.domain.background.idle()
    expect(await stored()).toContain('film five')
    expect(await remove(ids, true)).toMatchObject({ purged: 1, sources_purged: 1 })
    expect(await stored()).not.toContain('film five')
  })

  test('is neither purged nor kept by the Units of another writer', async () => {
    const colleague = await app.principal({ id: 'colleague', namespace: 'library' })
    const uri = await uploaded('film eight')
    const ids = await pointing([uri])
    const theirs = await pointing([uri, uri], colleague)
    await remove(ids, false)
    expect(await remove(theirs.slice(0, 1), true, colleague)).toMatchObject({ purged: 1, sources_purged: 0 })
    expect(await stored()).toContain('film eight')
    expect(await remove(ids, true)).toMatchObject({ purged: 1, sources_purged: 1 })
    expect(await stored()).not.toContain('film eight')
  })

  test('goes although a Unit of a deleted scope pointed at it', async () => {
    const uri = await uploaded('film nine')
    const body = { units: [{ text: 'shelf mark', source_uri: uri }] }
    expect((await app.call('POST', '/v1/ingest', { token, scope: 'cellar', body })).status).toBe(200)
    const ids = await pointing([uri])
    expect((await app.call('DELETE', '/v1/scopes/cellar', { token })).status).toBe(200)
    expect(await remove(ids, true)).toMatchObject({ purged: 1, sources_purged: 1 })
    expect(await stored()).not.toContain('film nine')
  })

  test('is out of reach of another namespace that knows its name', async () => {
    const uri = await uploaded('film six')
    const ids = await pointing([uri])
    const stranger = await app.principal({ id: 'stranger', namespace: 'elsewhere' })
    const theirs = await pointing([uri], stranger)
    expect(await remove(theirs, true, stranger)).toMatchObject({ purged: 1, sources_purged: 0 })
    expect(await remove(ids, true, stranger)).toMatchObject({ matched: 0, sources_purged: 0 })
    expect(await stored()).toContain('film six')
    // A Unit of another namespace does not keep the source either.
    await pointing([uri], stranger)
    expect(await remove(ids, true)).toMatchObject({ sources_purged: 1 })
    expect(await stored()).not.toContain('film six')
  })

  test('that was not uploaded here is a pointer only', async () => {
    const before = await stored()
    const ids = await pointing(['s3://archive/film.mp4', 'source://source_unknown', '../../secrets'])
    expect(await remove(ids, true)).toMatchObject({ purged: 3, sources_purged: 0 })
    expect(await stored()).toEqual(before)
  })
})
