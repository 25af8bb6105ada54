import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { documentOf, ingestFile, sendDocument, settled, taken, upload } from '../../support/documents/files.ts'
import { makePdf } from '../../support/documents/make-pdf.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('a document', () => {
  const scope = 'shelf'

  let token: string

  beforeAll(async () => {
    token = await app.principal({ id: 'librarian', namespace: 'library' })
  })

  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

  async function units(docId: string, as = token) {
    const { body } = await app.call('GET', '/v1/units?limit=100', { token: as })
    return body.units.filter((unit: { doc_id: string }) => unit.doc_id === docId)
  }

  const seq = async () => {
    const { body } = await app.graphql('{ search(input: { q: "x" }) { trace { seq } } }', {}, { token })
    return body.data.search.trace.seq
  }

  test('a file becomes Units that point into it', async () => {
    const text = 'The harbour opens at six.\n\nThe lighthouse is closed in winter.\n'
    const document = await taken(app, token, 'notes/harbour.txt', text, { scope, metadata: { kind: 'note' } })
    expect(document).toMatchObject({
      docId: 'notes/harbour.txt',
      scope,
      name: 'notes/harbour.txt',
      bytes: text.length,
      sha256: sha256(text),
      status: 'ready',
      reason: null,
      parent: null,
      attempts: 1,
      metadata: { path: 'notes/harbour.txt', kind: 'note' },
    })
    const found = await units('notes/harbour.txt')
    expect(found).toHaveLength(document.units)
    for (const unit of found) {
      expect(unit).toMatchObject({ modality: 'chunk', source_uri: document.sourceUri, mime: document.mime })
      expect(unit.metadata).toMatchObject({ path: 'notes/harbour.txt', kind: 'note' })
      expect(unit.text).toBe(text.slice(unit.locator.start, unit.locator.end))
    }
    const { body } = await app.call('POST', '/v1/search', { token, body: { q: 'lighthouse winter' } })
    expect(body.hits.map((hit: { doc_id: string }) => hit.doc_id)).toContain('notes/harbour.txt')
  })

  test('the same file again is ready at once, and nothing is written', async () => {
    const text = 'Ropes are kept in the third shed.'
    const first = await taken(app, token, 'ropes.txt', text, { scope })
    const before = await seq()
    const again = await ingestFile(app, token, 'ropes.txt', text, { scope })
    expect(again).toEqual(first)
    expect(await seq()).toBe(before)
  })

  test('other groups and metadata change the Units in place', async () => {
    const text = 'Nets dry on the quay.'
    const first = await taken(app, token, 'nets.txt', text, { scope, metadata: { season: 'spring', old: true } })
    const [before] = await units('nets.txt')
    const changed = await ingestFile(app, token, 'nets.txt', text, {
      scope,
      aclGroups: ['*'],
      metadata: { season: 'autumn' },
    })
    expect(changed).toMatchObject({ documentId: first.documentId, status: 'ready', aclGroups: ['*'] })
    const [after] = await units('nets.txt')
    expect(after.unit_id).toBe(before.unit_id)
    expect(after.metadata).toMatchObject({ season: 'autumn', path: 'nets.txt' })
    expect(after.metadata).not.toHaveProperty('old')
    const reader = await app.principal({ id: 'reader', namespace: 'library', readOnly: true })
    expect(await units('nets.txt', reader)).toHaveLength(1)
  })

  test('other bytes take the place of the old ones; what stays keeps its id', async () => {
    const sentences = (n: number) =>
      Array.from({ length: 60 }, (_, i) => `Sentence ${i} of part ${n} is about the tide. `)
    const paragraph = (n: number) => `# Part ${n}\n\n${sentences(n).join('')}\n\n`
    const old = await taken(app, token, 'parts.md', paragraph(1) + paragraph(2), { scope })
    const before = await units('parts.md')
    const now = await taken(app, token, 'parts.md', paragraph(1) + paragraph(3), { scope })
    expect(now).toMatchObject({ documentId: old.documentId, status: 'ready' })
    expect(now.sourceUri).not.toBe(old.sourceUri)
    const after = await units('parts.md')
    const idsByText = new Map(before.map((unit: { text: string; unit_id: string }) => [unit.text, unit.unit_id]))
    const kept = after.filter((unit: { text: string }) => idsByText.has(unit.text))
    expect(kept.length).toBeGreaterThan(0)
    for (const unit of kept) expect(unit.unit_id).toBe(idsByText.get(unit.text))
    for (const unit of after) expect(unit.source_uri).toBe(now.sourceUri)
    expect(JSON.stringify(after)).not.toContain('part 2')
    // The old source is gone with the old Units.
    await app.runtime.domain.purging.idle()
    expect(await app.runtime.bindings.objects.get(`${await namespaceId()}/${old.sourceUri.slice(9)}`)).toBeNull()
  })

  async function namespaceId() {
    const found = await app.runtime.bindings.catalog.access.namespace('library')
    return found?.namespace.id
  }

  test('a version that fails leaves the one before', async () => {
    const good = await taken(app, token, 'pier.txt', 'The pier is made of oak.', { scope })
    const bad = await taken(app, token, 'pier.txt', new Uint8Array([0, 1, 2, 3, 0, 255, 254, 9]), { scope })
    expect(bad).toMatchObject({
      documentId: good.documentId,
      status: 'failed',
      reason: 'malformed',
      sha256: good.sha256,
    })
    expect(bad.detail).toMatch(/\.$/)
    expect(await units('pier.txt')).toHaveLength(1)
    const back = await ingestFile(app, token, 'pier.txt', 'The pier is made of oak.', { scope })
    expect(back).toMatchObject({ status: 'ready', reason: null, units: 1 })
  })

  test('only a source that the caller uploaded is taken', async () => {
    const other = await app.principal({ id: 'other', namespace: 'library' })
    const theirs = await upload(app, other, 'not yours')
    for (const sourceUri of [theirs, 'source://unknown', 'https://example.com/a.txt']) {
      const { body } = await sendDocument(app, { sourceUri, name: 'a.txt', scope }, { token })
      expect(body.errors[0].extensions).toMatchObject({ code: 'bad_request', status: 400 })
    }
  })

  test('others see a document as far as they may read its Units', async () => {
    const outsider = await app.principal({ id: 'outsider', namespace: 'library', readOnly: true })
    const hidden = await taken(app, token, 'hidden.txt', 'A secret of the harbour master.', { scope })
    expect(await documentOf(app, outsider, hidden.documentId)).toBeNull()
    const open = await taken(app, token, 'open.txt', 'The market is on Saturday.', { scope, aclGroups: ['*'] })
    expect(await documentOf(app, outsider, open.documentId)).toMatchObject({ status: 'ready', units: 1, attempts: 0 })
    // Nor that another version of it failed.
    await taken(app, token, 'open.txt', new Uint8Array([0, 1, 2, 0]), { scope, aclGroups: ['*'] })
    const seen = await documentOf(app, outsider, open.documentId)
    expect(seen).toMatchObject({ status: 'ready', reason: null, detail: null, sha256: open.sha256, bytes: open.bytes })
  })
})

describe('texts of documents', () => {
  let token: string
  beforeAll(async () => {
    token = await app.principal({ id: 'librarian', namespace: 'texts' })
  })

  /** Shift_JIS of これは港の灯台の記録です。夕方に点灯します。 */
  const japanese = Buffer.from(
    '82b182ea82cd8d6082cc939491e482cc8b4c985e82c582b78142975b95fb82c9935f939482b582dc82b78142',
    'hex',
  )
  const german = (i: number) => `Über den Häfen wacht Türmer ${i}. Größe: 30 Meter.\n`
  const long = Array.from({ length: 60 }, (_, i) => german(i)).join('')
  const cases: [string, Uint8Array, string][] = [
    ['utf-8.txt', Buffer.from('\ufeffÜber den Hafen wacht der Leuchtturm.'), 'Über den Hafen wacht der Leuchtturm.'],
    [
      'windows-1252.txt',
      Buffer.from('Über den Hafen wacht der Leuchtturm.', 'latin1'),
      'Über den Hafen wacht der Leuchtturm.',
    ],
    [
      'shift-jis.txt',
      Buffer.concat([japanese, japanese, japanese]),
      'これは港の灯台の記録です。夕方に点灯します。'.repeat(3),
    ],
    // Bad bytes of each kind: one of no encoding, the first ones of a character, the later ones of one.
    [
      'bad-bytes.txt',
      Buffer.concat([
        Buffer.from(long),
        Buffer.from('ff20e282', 'hex'),
        Buffer.from(` ${long}`),
        Buffer.from('8080c3', 'hex'),
      ]),
      `${long}\ufffd \ufffd ${long}\ufffd\ufffd\ufffd`,
    ],
    ['utf-16.txt', Buffer.from(long, 'utf16le'), long],
    ['utf-16-the-other-way.txt', Buffer.from(long, 'utf16le').swap16(), long],
  ]

  test.each(cases)('what locators point into is the text that the parser read: %s', async (name, bytes, text) => {
    const document = await taken(app, token, name, bytes, { scope: 'shelf' })
    expect(document).toMatchObject({ status: 'ready' })
    const { body } = await app.call('GET', '/v1/units?limit=100', { token })
    const units = body.units.filter((unit: { doc_id: string }) => unit.doc_id === name)
    const query = 'query ($id: String!) { sourceLink(unitId: $id, rendition: text) { url } }'
    const link = await app.graphql(query, { id: units[0].unit_id }, { token })
    const rendition = await app.app.fetch(new Request(new URL(link.body.data.sourceLink.url, 'http://localhost')))
    expect(await rendition.text()).toBe(text)
    expect(units.length >= text.length / 800).toBe(true)
    for (const unit of units) expect(unit.text).toBe(text.slice(unit.locator.start, unit.locator.end))
  })

  test('a file in a PDF is a document below it', async () => {
    const pdf = makePdf(
      [{ lines: [{ x: 60, y: 700, text: 'The report.' }] }],
      [
        { name: 'rates.csv', content: 'port,fee\nAlba,10\n' },
        { name: 'pinned.txt', content: 'A mark opens it.', page: 0 },
      ],
    )
    const { documentId } = await taken(app, token, 'report.pdf', pdf, { scope: 'shelf' })
    const query = '{ documents(docIdPrefix: "report.pdf#") { documents { documentId docId parent } } }'
    const { documents } = (await app.graphql(query, {}, { token })).body.data.documents
    const files = [
      { docId: 'report.pdf#pinned.txt', parent: documentId },
      { docId: 'report.pdf#rates.csv', parent: documentId },
    ]
    expect(documents).toMatchObject(files)
    for (const file of documents)
      expect(await settled(app, token, file.documentId)).toMatchObject({ status: 'ready', units: 1 })
  })
})
