import { cpSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IndexChange, IndexFeed } from '../../../src/ports/indexes/index-filter.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { openIndex } from '../../support/index/embedded-index.ts'
import { tempDir } from '../../support/temp-dir.ts'

const [folder, older] = [tempDir('readers'), tempDir('readers-older')]
const open = () => openIndex(folder.path, { quietMs: 0 })
let index = open()
/** What the index has taken since it was last looked at. */
let taken: string[] = []
const now = () => index.texts.feed
const feed: IndexFeed = {
  local: true,
  cursor: (id) => now().cursor(id),
  apply: async (id, changes, upTo, after) => {
    taken.push(...changes.map(({ kind }: IndexChange) => kind))
    return now().apply(id, changes, upTo, after)
  },
  release: (id) => now().release(id),
  manifest: (id, plane) => now().manifest(id, plane),
  repair: (id, changes) => now().repair(id, changes),
  held: async (id, units) => (await now().held?.(id, units)) ?? new Map(),
  reset: (id) => now().reset(id),
  behind: () => now().behind(),
}
let app: TestApp
const tokens: Record<string, string> = {}
let namespaceId = ''

beforeAll(async () => {
  const vectors = {
    ...index.vectors,
    feed,
    search: (...ask: Parameters<typeof index.vectors.search>) => index.vectors.search(...ask),
  }
  const texts = {
    ...index.texts,
    feed,
    search: (...ask: Parameters<typeof index.texts.search>) => index.texts.search(...ask),
  }
  app = await boot({ bindings: { vectors, texts } })
  const grants = [{ scope: '*', perms: ['read'] as const }]
  tokens.ann = await app.principal({ id: 'ann', namespace: 'acme' })
  for (const id of ['bob', 'eve']) tokens[id] = await app.principal({ id, namespace: 'acme', groups: [id], grants })
  namespaceId = (await app.runtime.bindings.catalog.access.namespace('acme'))?.namespace.id ?? ''
})
afterAll(async () => {
  await app.close()
  await index.close()
  folder.remove()
  older.remove()
})

const ingest = async (...units: object[]) =>
  (await app.call('POST', '/v1/ingest', { token: tokens.ann, scope: 'dock', body: { units } })).body

async function opened(docId: string, group: string) {
  taken = []
  const document = 'mutation ($input: UpdateReadersInput!) { updateReaders(input: $input) { seq indexed } }'
  const input = { docId, aclGroups: [group] }
  const { body } = await app.graphql(document, { input }, { token: tokens.ann ?? '' })
  return body.data.updateReaders
}

/** Texts that the index itself finds for a principal who is in a group of the same name. */
async function found(who: string, text: string) {
  const { body } = await app.call('POST', '/v1/search', { token: tokens[who], body: { q: text, top_k: 10 } })
  expect(body.trace.index_seq).toBe(body.trace.seq)
  return body.hits.map((hit: { text: string }) => hit.text).sort()
}

const unit = (docId: string, text: string, i: number) => ({
  text,
  doc_id: docId,
  external_id: `${docId}${i}`,
  acl_groups: ['bob'],
})

test('other readers reach the index without the texts, and stay there', async () => {
  await ingest(unit('a', 'the anchor winch', 0), unit('a', 'an anchor chain', 1), unit('b', 'an anchor buoy', 0))
  expect(await opened('a', 'eve')).toMatchObject({ indexed: true })
  expect(taken).toEqual(['readers', 'readers'])
  expect(await found('eve', 'anchor')).toEqual(['an anchor chain', 'the anchor winch'])
  expect(await found('bob', 'anchor')).toEqual(['an anchor buoy'])
  // Once more, on top of that.
  await opened('a', 'bob')
  expect(taken).toEqual(['readers', 'readers'])
  expect(await found('eve', 'anchor')).toEqual([])
  expect(await found('bob', 'anchor')).toHaveLength(3)
  await index.close()
  index = open()
  expect(await found('bob', 'anchor')).toHaveLength(3)
  expect(await found('eve', 'anchor')).toEqual([])
})

test('an index that lost its latest changes takes them again', async () => {
  await ingest(unit('c', 'a brass lantern', 0), unit('c', 'a red lantern', 1))
  await index.close()
  cpSync(folder.path, older.path, { recursive: true })
  index = open()
  await ingest(unit('c', 'a green lantern', 1))
  await opened('c', 'eve')
  expect(taken).toEqual(['readers', 'readers'])
  expect(await found('eve', 'lantern')).toHaveLength(2)
  await index.close()
  cpSync(older.path, folder.path, { recursive: true })
  index = open()
  taken = []
  const { seq } = await ingest({ text: 'a bollard' })
  await expect.poll(() => now().cursor(namespaceId)).toBe(seq)
  // What it has of one Unit is older than the change of readers; of the other one it has all else.
  expect(taken).toEqual(['readers', 'put', 'put'])
  expect(await found('eve', 'lantern')).toEqual(['a brass lantern', 'a green lantern'])
  expect(await found('bob', 'lantern')).toEqual([])
})

test('a Unit that the index lacks is taken whole', async () => {
  const { units, seq } = await ingest(unit('d', 'a grey heron', 0), unit('d', 'a white heron', 1))
  await now().repair(namespaceId, [{ kind: 'remove', unitId: units[0].unit_id, seq, plane: 'text' }])
  await opened('d', 'eve')
  expect(taken.sort()).toEqual(['put', 'put'])
  expect(await found('eve', 'heron')).toEqual(['a grey heron', 'a white heron'])
})
