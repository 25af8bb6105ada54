import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { refusalOf, soon, wide } from '../../support/openai.ts'
import { type LoggedServer, listen } from '../../support/process/http-server.ts'

let app: TestApp
let server: LoggedServer
let openai: OpenAI
let reader: OpenAI

beforeAll(async () => {
  app = await boot({ config: { audit: { reads: 'sync', queries: { kind: 'text' } } } })
  server = await listen(app)
  const of = async (principal: Omit<Parameters<TestApp['principal']>[0], 'namespace'>) =>
    new OpenAI({
      apiKey: await app.principal({ ...principal, namespace: 'coast' }),
      baseURL: new URL('/openai/v1', server.url).href,
      maxRetries: 0,
    })
  openai = await of({ id: 'keeper' })
  reader = await of({ id: 'reader', grants: [{ scope: '*', perms: ['read'] }] })
})
afterAll(async () => {
  await server.close()
  await app.close()
})

const uploaded = async (name: string, text: string): Promise<string> =>
  (await openai.files.create({ file: await toFile(Buffer.from(text), name), purpose: 'assistants' })).id

const textsOf = async (client: OpenAI, file: string, vector_store_id: string): Promise<string[]> => {
  const texts: string[] = []
  for await (const part of client.vectorStores.files.content(file, { vector_store_id })) texts.push(part.text ?? '')
  return texts
}

test('the files of a batch go into a store together', async () => {
  const texts = ['The spring tide comes at new moon.', 'Neap tides are weak.']
  const files = await Promise.all(texts.map((text, i) => toFile(Buffer.from(text), `tide-${i}.txt`)))
  const batch = await openai.vectorStores.fileBatches.uploadAndPoll('harbour/tides', { files }, soon)
  expect(batch).toMatchObject({
    object: 'vector_store.files_batch',
    vector_store_id: 'harbour%2Ftides',
    status: 'completed',
    file_counts: { in_progress: 0, completed: 2, failed: 0, cancelled: 0, total: 2 },
  })
  const store = { vector_store_id: batch.vector_store_id }
  expect(await openai.vectorStores.fileBatches.retrieve(batch.id, store)).toEqual(batch)
  // However many files it has: its state is one reading of a list.
  const rows = async () => (await app.call('GET', '/v1/audit?limit=10', { token: openai.apiKey ?? '' })).body.rows
  const [{ seq: newest }] = await rows()
  await openai.vectorStores.fileBatches.retrieve(batch.id, store)
  const later = (await rows()).filter(({ seq }: { seq: number }) => seq > newest)
  expect(later.map(({ action }: { action: string }) => action).filter((one: string) => one !== 'audit.list')).toEqual([
    'documents.list',
  ])
  const listed: string[] = []
  for await (const one of openai.vectorStores.fileBatches.listFiles(batch.id, { ...store, limit: 1 })) {
    expect(one).toMatchObject({ object: 'vector_store.file', status: 'completed' })
    listed.push(one.id)
  }
  expect(listed).toHaveLength(2)
  const failed = await openai.vectorStores.fileBatches.listFiles(batch.id, { ...store, filter: 'failed' })
  expect(failed.data).toEqual([])

  // A file that is gone counts as cancelled.
  await openai.vectorStores.files.delete(listed[0] ?? '', store)
  expect(await openai.vectorStores.fileBatches.cancel(batch.id, store)).toMatchObject({
    status: 'cancelled',
    file_counts: { completed: 1, cancelled: 1, total: 2 },
  })
})

test('each file of a batch may have its own attributes and readers', async () => {
  const [open, closed, broken] = [
    await uploaded('open.txt', 'The gate opens at six.'),
    await uploaded('closed.txt', 'The vault has two keys.'),
    await uploaded('broken.json', '{'),
  ]
  const batch = await openai.vectorStores.fileBatches.createAndPoll(
    'quay',
    wide({
      files: [
        { file_id: open, attributes: { kind: 'open' }, acl_groups: ['*'] },
        { file_id: closed, attributes: { kind: 'closed' } },
        { file_id: broken },
      ],
    }),
    soon,
  )
  expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 2, failed: 1 } })
  const filters = { type: 'eq' as const, key: 'kind', value: 'closed' }
  const { data } = await openai.vectorStores.search('quay', { query: 'keys', filters })
  expect(data.map(({ file_id }) => file_id)).toEqual([closed])

  // A caller who may not read a file sees as much of it as of one that is not there.
  const seen = await reader.vectorStores.fileBatches.retrieve(batch.id, { vector_store_id: 'quay' })
  expect(seen.file_counts).toEqual({ in_progress: 0, completed: 1, failed: 0, cancelled: 2, total: 3 })
  expect(await textsOf(reader, open, 'quay')).toEqual(['The gate opens at six.'])
  expect(await refusalOf(textsOf(reader, closed, 'quay'))).toMatchObject({ status: 404, param: 'file_id' })
  expect(await refusalOf(reader.vectorStores.fileBatches.create('quay', { file_ids: [open] }))).toMatchObject({
    status: expect.toSatisfy((status: number) => status === 403 || status === 404),
  })
})

test('a batch with a wrong file changes nothing', async () => {
  const file = await uploaded('lone.txt', 'Alone.')
  const batches = openai.vectorStores.fileBatches
  for (const [sent, status, param] of [
    [{ file_ids: [file, 'file-source_unknown'] }, 404, 'file_id'],
    [{ file_ids: [file, 'lone.txt'] }, 404, 'file_id'],
    [{}, 400, 'file_ids'],
    [{ file_ids: [] }, 400, 'file_ids'],
    [{ file_ids: Array(101).fill(file) }, 400, 'file_ids'],
    [{ files: [{ file_id: file, colour: 'red' }] }, 400, 'files[0].colour'],
  ] as const)
    expect(await refusalOf(batches.create('lone', wide(sent))), JSON.stringify(sent).slice(0, 60)).toMatchObject({
      status,
      param,
    })
  for (const filter of ['in_progress', 'completed', 'failed', 'cancelled'] as const)
    expect((await openai.vectorStores.files.list('lone', { filter })).data).toEqual([])
  for (const id of ['vsfb_1', 'vsfb_1.', 'vsfb_1.%2e', 'batch'])
    expect(await refusalOf(batches.retrieve(id, { vector_store_id: 'lone' })), id).toMatchObject({
      status: 404,
      param: 'batch_id',
    })
})

test('a batch of the largest size has an id that fits into an address', async () => {
  const ids = Array.from({ length: 100 }, (_, i) => `file-source_${`${i}`.padStart(22, '0')}`)
  const id = `vsfb_zzzzzz.${ids.map((one) => one.slice('file-source_'.length)).join('.')}`
  expect(await openai.vectorStores.fileBatches.retrieve(id, { vector_store_id: 'harbour' })).toMatchObject({
    id,
    file_counts: { cancelled: 100, total: 100 },
  })
})

test('lists have pages before and after a file, and of one purpose', async () => {
  const file_ids: string[] = []
  for (const name of ['a', 'b', 'c']) file_ids.push(await uploaded(`${name}.txt`, `Page ${name}.`))
  await openai.vectorStores.fileBatches.createAndPoll('pages', { file_ids }, soon)
  const list = (query: object) => openai.vectorStores.files.list('pages', query)
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
  const [first = '', second = '', third = ''] = idsOf(await list({}))
  expect(idsOf(await list({ after: first, limit: 1 }))).toEqual([second])
  expect(idsOf(await list({ before: third, limit: 1 }))).toEqual([second])
  expect(idsOf(await list({ before: third }))).toEqual([first, second])
  expect(idsOf(await list({ after: first, before: third }))).toEqual([second])
  const stores = idsOf(await openai.vectorStores.list())
  const lastStore = stores.at(-1) ?? ''
  expect(idsOf(await openai.vectorStores.list({ before: lastStore }))).toEqual(stores.slice(0, -1))
  for (const query of [{ after: 'none' }, { before: 'none' }, { limit: 0 }, { limit: 101 }])
    expect(await refusalOf(list(query))).toMatchObject({ status: 400, param: Object.keys(query)[0] })
  // Of files OpenAI lists up to 10,000.
  expect(idsOf(await openai.files.list({ limit: 10_000 }))).toContain(first)
  expect(idsOf(await openai.files.list({ purpose: 'batch' }))).toEqual([])
  expect(idsOf(await openai.files.list({ purpose: 'assistants', limit: 1 }))).toHaveLength(1)
})

test('the content of a file is its text, and its attributes change', async () => {
  const text = `${'The ferry leaves at noon. '.repeat(40)}\n\n${'The light is lit at dusk. '.repeat(40)}`
  const file = await uploaded('log.md', text)
  const store = { vector_store_id: 'log' }
  await openai.vectorStores.files.createAndPoll('log', wide({ file_id: file, attributes: { year: 1907 } }), soon)
  const parts = await textsOf(openai, file, 'log')
  expect(parts.join(' ')).toContain('The ferry leaves at noon.')
  expect(parts.join(' ').indexOf('ferry')).toBeLessThan(parts.join(' ').indexOf('dusk'))
  const changed = await openai.vectorStores.files.update(file, { ...store, attributes: { year: 1908 } })
  expect(changed.attributes).toMatchObject({ year: 1908 })
  // One whose new version is not ready counts once.
  expect((await openai.vectorStores.retrieve('log')).file_counts.total).toBe(1)
  await openai.vectorStores.files.poll('log', file, soon)
  const filters = { type: 'eq' as const, key: 'year', value: 1908 }
  expect((await openai.vectorStores.search('log', { query: 'ferry', filters })).data[0]).toMatchObject({
    file_id: file,
  })
  expect(await refusalOf(textsOf(openai, 'file-source_none', 'log'))).toMatchObject({ status: 404, param: 'file_id' })
  expect(
    await refusalOf(openai.get(`/vector_stores/log/files/${file}/content`, { query: { page: 'next' } })),
  ).toMatchObject({ status: 400, param: 'page' })
})

test('a file that is deleted is gone, or the answer says why not', async () => {
  const gone = { status: 404, param: 'file_id' }
  const store = { vector_store_id: 'attic' }
  const file = await uploaded('old.txt', 'The lamp is in the attic.')
  await openai.vectorStores.files.createAndPoll('attic', { file_id: file }, soon)
  // What the store has of it can be restored until then.
  await openai.vectorStores.files.delete(file, store)
  expect(await openai.files.retrieve(file)).toMatchObject({ id: file })
  expect(await openai.files.delete(file)).toEqual({ id: file, object: 'file', deleted: true })
  expect(await refusalOf(openai.files.retrieve(file))).toMatchObject(gone)
  expect(await refusalOf(openai.files.delete(file))).toMatchObject(gone)

  // A Unit of the same source is not of the file.
  const shared = await uploaded('shared.txt', 'The key is under the mat.')
  await openai.vectorStores.files.createAndPoll('attic', { file_id: shared }, soon)
  const source_uri = `source://${shared.slice('file-'.length)}`
  const units = [{ text: 'The key is under the mat.', source_uri, scope: 'cellar' }]
  expect((await app.call('POST', '/v1/ingest', { token: openai.apiKey ?? '', body: { units } })).status).toBe(200)
  for (const _ of ['with its document', 'without'])
    expect(await refusalOf(openai.files.delete(shared))).toMatchObject({ status: 400, param: 'file_id' })
  expect(await openai.files.retrieve(shared)).toMatchObject({ id: shared })
})

test('a form has one file', async () => {
  const body = new FormData()
  body.append('purpose', 'assistants')
  for (const name of ['a.txt', 'b.txt']) body.append('file', new File([name], name))
  expect(await refusalOf(openai.post('/files', { body }))).toMatchObject({ status: 400, param: 'file' })
})

test('what is not offered says so in the shape of OpenAI', async () => {
  const file = await uploaded('x.txt', 'x')
  for (const [call, status, param] of [
    [() => openai.files.content(file), 400, 'file_id'],
    [() => openai.files.retrieve('file-source_none'), 404, 'file_id'],
    [() => openai.files.delete('file-source_none'), 404, 'file_id'],
    [() => openai.vectorStores.files.create('harbour', { file_id: 'file-source_none' }), 400, 'file_id'],
    [() => uploaded('large.txt', 'x'.repeat(10 * 2 ** 20 + 1)), 400, 'file'],
    [() => openai.vectorStores.files.list('harbour', wide({ filter: 'lost' })), 400, 'filter'],
    [() => openai.vectorStores.update('harbour', { name: 'other' }), 400, 'name'],
    [() => openai.responses.retrieve('resp_1'), 404, 'response_id'],
    [() => openai.responses.delete('resp_1'), 404, 'response_id'],
    [() => openai.completions.create({ model: 'svc-answer', prompt: 'a' }), 404, null],
    [() => openai.moderations.create({ input: 'a' }), 404, null],
    [() => openai.batches.list(), 404, null],
    [() => openai.get('/vector_stores/%ZZ'), 400, 'vector_store_id'],
    [() => openai.get('/vector_stores/harbour/files/%ZZ'), 400, 'file_id'],
    [() => openai.get('/models/%ZZ'), 400, 'model'],
  ] as const)
    expect(await refusalOf(call())).toMatchObject({ status, param, type: 'invalid_request_error' })
  const unknown = await refusalOf(openai.completions.create({ model: 'svc-answer', prompt: 'a' }))
  expect(unknown.message).toContain('/chat/completions')
})

test('what a response put out is part of the next question', async () => {
  const units = [{ text: 'Marta Holm was born in Bergen.', external_id: 'marta', scope: 'people', acl_groups: ['*'] }]
  const token = await app.principal({ id: 'writer', namespace: 'coast' })
  await app.call('POST', '/v1/ingest', { token, body: { units } })
  const tools = [{ type: 'file_search' as const, vector_store_ids: ['people'] }]
  const first = await openai.responses.create({ model: 'svc-answer', input: 'Where was Marta Holm born?', tools })
  expect(first.output_text).toContain('Bergen')
  const next = await openai.responses.create({
    model: 'svc-answer',
    input: [
      { role: 'user', content: 'Where was Marta Holm born?' },
      ...wide(first.output),
      { role: 'user', content: 'Where was she born?' },
    ],
    tools,
  })
  expect(next.output_text).toContain('Bergen')
})
