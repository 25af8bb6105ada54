import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { createStorage } from '../../support/database/database.ts'
import { taken } from '../../support/documents/files.ts'
import { makePdf } from '../../support/documents/make-pdf.ts'
import { makePng } from '../../support/documents/make-png.ts'
import { embeddingDims, type ModelServer, startModelServer } from '../../support/models/model-server.ts'
import { chatSettings, inferenceOf } from '../../support/models/remote-models.ts'
import { sourcesOf } from '../../support/sources/uploads.ts'

const scope = 'shelf'
const boat = makePng(80, 80, {}, () => 10)
const cat = makePng(80, 80, {}, () => 200)
const unknown = makePng(80, 80, {}, () => 90)
const seen = new Map([
  [boat.toString('base64'), 'a sailing boat on the sea'],
  [cat.toString('base64'), 'a sleeping cat'],
])

let server: ModelServer
let app: TestApp
let token: string

const settings = (more: Record<string, string>) => ({
  ...chatSettings(server.url),
  EMBED_PROVIDER_VISUAL: 'openai',
  EMBED_MODEL_VISUAL: 'jina-clip-v2',
  EMBED_DIMS_VISUAL: String(embeddingDims),
  EMBED_PROVIDER_DOC_VISUAL: 'openai',
  EMBED_MODEL_DOC_VISUAL: 'jina-clip-v2',
  EMBED_DIMS_DOC_VISUAL: String(embeddingDims),
  ...more,
})

beforeAll(async () => {
  server = await startModelServer()
  server.see = (picture) => seen.get(picture.toString('base64')) ?? 'a page of a book about whales'
  // A picture that the model does not take.
  server.refuse = (path, body) =>
    path === '/v1/embeddings' && JSON.stringify(body).includes(unknown.toString('base64')) ? 422 : null
  app = await boot({ config: { inference: inferenceOf(settings({ EMBED_IMAGES: 'jina' })) } })
  token = await app.principal({ id: 'librarian', namespace: 'library' })
})
afterAll(async () => {
  await app.close()
  await server[Symbol.asyncDispose]()
})

const search = (body: object) =>
  app.call('POST', '/v1/search', { token, body: { planes: ['visual', 'doc_visual'], ...body } })
const found = async (body: object) => {
  const { status, body: result } = await search(body)
  expect(status, JSON.stringify(result)).toBe(200)
  return result.hits.map(({ doc_id }: { doc_id: string }) => doc_id)
}
const embedded = () =>
  expect.poll(async () => {
    const { body } = await app.call('GET', '/v1/compaction', { token })
    return body.planes.reduce((sum: number, { pending }: { pending: number }) => sum + pending, 0)
  })

describe('a model with a tower for pictures', () => {
  test('embeds the pixels of pictures and of pages, and the query by its texts', async () => {
    await taken(app, token, 'IMG_1.png', boat, { scope })
    await taken(app, token, 'IMG_2.png', cat, { scope })
    await taken(app, token, 'IMG_3 lamp.png', unknown, { scope })
    const page = Array.from({ length: 80 * 80 }, () => 'd0').join('')
    const drawing = `q 300 0 0 300 100 300 cm BI /W 80 /H 80 /CS /G /BPC 8 /F /AHx ID ${page}> EI Q`
    await taken(app, token, 'scan.pdf', makePdf([{ lines: [], drawing }]), { scope })
    await embedded().toBe(0)
    expect((await found({ q: 'sailing boat' }))[0]).toBe('IMG_1.png')
    expect((await found({ q: 'sleeping cat' }))[0]).toBe('IMG_2.png')
    expect((await found({ q: 'whales' }))[0]).toBe('scan.pdf')
    // Of a picture that the model refuses, the words of its name.
    expect((await found({ q: 'lamp' }))[0]).toBe('IMG_3 lamp.png')
    const inputs = server.asked.filter(({ path }) => path === '/v1/embeddings').map(({ body }) => body)
    expect(inputs).toContainEqual({ model: 'jina-clip-v2', input: [{ image: boat.toString('base64') }] })
    const { body } = await app.call('GET', '/v1/catalog/stats', { token })
    const visual = body.planes.find(({ plane }: { plane: string }) => plane === 'visual')
    expect(visual).toMatchObject({ model: `openai:jina-clip-v2@${embeddingDims}`, vectors: 3 })
  })

  test('sees a picture without a text, and one whose source another principal uploaded not', async () => {
    const { upload, unit } = sourcesOf(app)
    const other = await app.principal({ id: 'visitor', namespace: 'library' })
    const own = await upload(boat, { token: other })
    const before = server.asked.length
    await unit({ modality: 'image', source_uri: own, doc_id: 'not-mine' }, { token })
    await embedded().toBe(0)
    expect(server.asked.slice(before)).toEqual([])
    await unit({ modality: 'image', source_uri: own, doc_id: 'mine', acl_groups: ['*'] }, { token: other })
    await embedded().toBe(0)
    expect(await found({ q: 'sailing boat', filters: { doc_id: ['mine', 'not-mine'] } })).toEqual(['mine'])
  })

  test('finds pictures like the picture of a query, alone and beside words', async () => {
    const image = { base64: boat.toString('base64') }
    expect((await found({ q: '', image }))[0]).toBe('IMG_1.png')
    const { body } = await search({ q: 'cat', image: { base64: cat.toString('base64') } })
    expect(body.hits[0].doc_id).toBe('IMG_2.png')
    expect(body.trace.legs.map(({ leg }: { leg: string }) => leg)).toEqual(
      expect.arrayContaining(['vector:visual', 'image:visual', 'image:doc_visual']),
    )
    const { upload } = sourcesOf(app)
    const mine = await upload(cat, { token })
    expect((await found({ q: '', image: { source_uri: mine } }))[0]).toBe('IMG_2.png')
    const other = await app.principal({ id: 'guest', namespace: 'library' })
    const stolen = await search({ q: '', image: { source_uri: await upload(cat, { token: other }) } })
    expect(stolen.body.detail).toBe('image.source_uri: must be a source that you uploaded')
    const log = async () => {
      const { body } = await app.call('GET', '/v1/audit?limit=100', { token })
      return body.rows.map(({ detail }: { detail: { image?: string } }) => detail.image)
    }
    await expect.poll(log).toEqual(expect.arrayContaining(['sent', mine]))
  })

  test('sees the pictures from before it was there', async () => {
    const storage = await createStorage()
    const before = await boot({ storage })
    const keeper = await before.principal({ id: 'keeper', namespace: 'archive' })
    await taken(before, keeper, 'IMG_7.png', boat, { scope })
    await before.close({ keep: true })
    const after = await boot({ storage, config: { inference: inferenceOf(settings({ EMBED_IMAGES: 'jina' })) } })
    const image = { base64: boat.toString('base64') }
    const cosine = async () => {
      const { body } = await after.call('POST', '/v1/search', { token: keeper, body: { q: '', image } })
      return body.hits[0]?.explain.find(({ leg }: { leg: string }) => leg.startsWith('image:visual'))?.score
    }
    await expect.poll(cosine).toBeCloseTo(1, 3)
    await after.close()
  })

  test('does not change the count of hidden Units by the picture', async () => {
    const visitor = await app.principal({ id: 'reader', namespace: 'library' })
    const hidden = async (image?: object) =>
      (await app.call('POST', '/v1/search', { token: visitor, body: { q: 'IMG', ...(image && { image }) } })).body
        .hidden_by_acl
    const count = await hidden()
    expect(await hidden({ base64: boat.toString('base64') })).toBe(count)
    expect(await hidden({ base64: cat.toString('base64') })).toBe(count)
  })

  test.each([
    ['not base64', { image: { base64: '§§' } }, 'image.base64: must be base64'],
    ['too large', { image: { base64: 'A'.repeat(6 * 2 ** 20) } }, 'image.base64: must be at most 4 MiB'],
    [
      'no picture',
      { image: { base64: Buffer.from('a text').toString('base64') } },
      'image.base64: must be a picture: PNG, JPEG, GIF or WebP, at most 4 MiB',
    ],
    ['nothing', { image: {} }, 'image: must have either base64 or a source'],
    [
      'in planes without such a model',
      { image: { base64: boat.toString('base64') }, planes: ['text'] },
      'image: no plane searched has a model that reads pictures',
    ],
    [
      'beside a vector of its plane',
      { image: { base64: boat.toString('base64') }, vector: { visual: [1, 2] } },
      'vector.visual: must not be there with an image, which has a vector itself',
    ],
  ])('refuses a picture that is %s', async (_, body, detail) => {
    const reply = await search({ q: '', ...body })
    expect([reply.status, reply.body.detail]).toEqual([400, detail])
  })

  test('takes a picture at /graphql and as a tool', async () => {
    const image = { base64: boat.toString('base64') }
    const { body } = await app.graphql(
      'query ($input: SearchInput!) { search(input: $input) { hits { docId reasons } } }',
      { input: { q: '', image, planes: ['visual'] } },
      { token },
    )
    expect(body.data.search.hits[0]).toEqual({
      docId: 'IMG_1.png',
      reasons: ['like the picture (1.00 of 1 in openai:jina-clip-v2)'],
    })
    const tool = await app.call('POST', '/mcp', {
      token,
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search', arguments: { image, planes: ['visual'] } },
      },
      headers: { accept: 'application/json, text/event-stream' },
    })
    expect(JSON.stringify(tool.body)).toContain('IMG_1.png')
  })

  test.each([
    [
      'vllm',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: expect.any(String) } }] }] },
    ],
    ['infinity', { input: [`data:image/png;base64,${cat.toString('base64')}`], modality: 'image' }],
  ])('gets pictures in the way of %s', async (shape, body) => {
    const { createRemoteInference } = await import('../../../src/adapters/inference-remote/remote-inference.ts')
    const { builtinModels } = await import('../../support/models/remote-models.ts')
    const { systemRandom } = await import('../../../src/system.ts')
    const { inference } = createRemoteInference(inferenceOf(settings({ EMBED_IMAGES: shape })), builtinModels(), {
      random: systemRandom,
    })
    expect([inference.model('visual').images, inference.model('text').images]).toEqual([true, undefined])
    const pictures = [
      { mime: 'image/png', bytes: cat },
      { mime: 'image/png', bytes: unknown },
    ]
    const [vector, refused] = (await inference.embedImages?.('visual', pictures, 'passage')) ?? []
    const [text] = await inference.embed('visual', ['a sleeping cat'], 'query')
    expect(vector).toEqual(text)
    expect(refused).toBeNull()
    expect(server.asked.map((asked) => asked.body)).toContainEqual({
      model: 'jina-clip-v2',
      encoding_format: 'float',
      ...body,
    })
  })
})
