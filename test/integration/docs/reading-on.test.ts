import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forAllRuns } from '../../property/draw.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let keeper: string
let reader: string

beforeAll(async () => {
  app = await boot()
  keeper = await app.principal({ id: 'keeper', namespace: 'harbour' })
  reader = await app.principal({ id: 'reader', namespace: 'harbour', grants: [{ scope: '*', perms: ['read'] }] })
})
afterAll(() => app.close())

interface Part {
  text: string
  title?: string
  locator?: object
  plane?: string
  aclGroups?: string[]
}

const write = async (docId: string, parts: readonly Part[], fields: object = {}): Promise<string[]> => {
  const units = parts.map((part) => ({ aclGroups: ['*'], scope: 'quay', docId, ...part, ...fields }))
  const ingest = 'mutation ($input: IngestInput!) { ingest(input: $input) { units { unitId } } }'
  const { body } = await app.graphql(ingest, { input: { units } }, { token: keeper })
  return body.data.ingest.units.map(({ unitId }: { unitId: string }) => unitId)
}

const ask = async (query: string, token = reader, scope = '*') => {
  const { body } = await app.graphql(query, {}, { token, scope })
  return body.errors ? body.errors[0].extensions : Object.values(body.data ?? {})[0]
}
const outline = (docId: string, args = '', token?: string, scope?: string) =>
  ask(
    `{ outline(docId: "${docId}"${args}) { docId title count nextCursor headings { title level unitId units } } }`,
    token,
    scope,
  )
const neighbours = (unitId: string, args = '', token?: string, scope?: string) =>
  ask(`{ neighbours(unitId: "${unitId}"${args}) { before { unitId text } after { unitId text } } }`, token, scope)
const textsOf = ({ before, after }: Record<string, { text: string }[]>) =>
  [before, after].map((side) => side?.map(({ text }) => text))

describe('outline', () => {
  it('has the headings in the order of the text, each with its first Unit and how many it has', async () => {
    const ids = await write('manual', [
      { text: 'Foreword.' },
      { text: 'Berths.', title: 'Manual > Berths' },
      { text: 'More berths.', title: 'Manual > Berths' },
      { text: 'Cranes.', title: 'Manual > Cranes > Old' },
      { text: 'Berths again.', title: 'Manual > Berths' },
    ])
    const headings = [
      { title: 'Manual', level: 1, unitId: ids[1], units: 4 },
      { title: 'Berths', level: 2, unitId: ids[1], units: 2 },
      { title: 'Cranes', level: 2, unitId: ids[3], units: 1 },
      { title: 'Old', level: 3, unitId: ids[3], units: 1 },
      { title: 'Berths', level: 2, unitId: ids[4], units: 1 },
    ]
    expect(await outline('manual')).toEqual({ docId: 'manual', title: 'manual', count: 5, nextCursor: null, headings })
    expect(await outline('manual', ', limit: 2, cursor: 1')).toMatchObject({
      count: 5,
      nextCursor: 3,
      headings: headings.slice(1, 3),
    })
  })

  it('is in the order of places, also after a new version', async () => {
    const at = (start: number) => ({ locator: { kind: 'char_span', start, end: start + 1 } })
    await write('changed', [
      { text: 'First.', title: 'A', ...at(0) },
      { text: 'Last.', title: 'C', ...at(90) },
    ])
    await write('changed', [{ text: 'Between.', title: 'B', ...at(40) }])
    const { headings } = await outline('changed')
    expect(headings.map(({ title }: { title: string }) => title)).toEqual(['A', 'B', 'C'])
  })

  it('of an unknown, hidden or outside document is not found', async () => {
    await write('memo', [{ text: 'Alone.', title: 'Secret', aclGroups: [] }])
    const missing = await outline('no such')
    expect(missing).toMatchObject({ code: 'not_found', status: 404 })
    expect(await outline('memo')).toEqual(missing)
    expect(await outline('manual', '', reader, 'elsewhere')).toEqual(missing)
    expect(await outline('memo', '', keeper)).toMatchObject({ count: 1 })
  })
})

describe('neighbours', () => {
  it('are the Units of its document and plane next to it', async () => {
    const page = (number: number) => ({ locator: { kind: 'bbox', page: number, x: 0, y: 0, w: 1, h: 1 } })
    const ids = await write(
      'pages',
      [3, 1, 2, 4].map((number) => ({ text: `Page ${number}.`, ...page(number) })),
    )
    await write('pages', [{ text: 'Picture.', plane: 'doc_visual', ...page(2) }])
    await write('other', [{ text: 'Elsewhere.', ...page(2) }])
    const [third = '', first = ''] = ids
    expect(textsOf(await neighbours(third))).toEqual([['Page 1.', 'Page 2.'], ['Page 4.']])
    expect(textsOf(await neighbours(third, ', before: 1, after: 0'))).toEqual([['Page 2.'], []])
    expect(textsOf(await neighbours(first, ', before: 20, after: 20'))).toEqual([[], ['Page 2.', 'Page 3.', 'Page 4.']])
    const [alone = ''] = await write('alone', [{ text: 'No document.' }], { docId: null })
    expect(await neighbours(alone)).toEqual({ before: [], after: [] })
  })

  it('of an unknown, hidden or outside Unit are not found', async () => {
    const [hidden = '', shown = ''] = await write('guarded', [{ text: 'No.', aclGroups: [] }, { text: 'Yes.' }])
    const missing = await neighbours('unit_unknown')
    expect(missing).toMatchObject({ code: 'not_found', status: 404 })
    expect(await neighbours(hidden)).toEqual(missing)
    expect(await neighbours(shown, '', reader, 'elsewhere')).toEqual(missing)
    expect(await neighbours(shown)).toEqual({ before: [], after: [] })
    expect(textsOf(await neighbours(shown, '', keeper))).toEqual([['No.'], []])
    expect(await neighbours(shown, ', before: 21')).toMatchObject({ code: 'bad_request', status: 400 })
  })
})

it('what a caller may not read changes nothing that it sees', async () => {
  await forAllRuns(12, async (draw, run) => {
    const parts = Array.from({ length: 3 + draw.upTo(12) }, (_, i) => ({
      text: `Part ${i}.`,
      ...(draw.chance(80) && {
        title: ['A', draw.pick(['B', 'C']), draw.pick(['D', 'E'])].slice(0, 1 + draw.upTo(2)).join(' > '),
      }),
      ...(draw.chance(50) && { locator: { kind: 'line_range', start: 1 + draw.upTo(9), end: 20 } }),
      ...(draw.chance(40) && { aclGroups: [] }),
    }))
    const docId = `drawn-${run}`
    const ids = await write(docId, parts)
    const without = parts.filter(({ aclGroups }) => !aclGroups)
    const twins = await write(`${docId}-without`, without)
    const seen = ids.filter((_, i) => !parts[i]?.aclGroups)
    const named = (value: unknown, from: readonly string[]) =>
      from
        .reduce((text, id, i) => text.replaceAll(id, `unit ${i}`), JSON.stringify(value))
        .replaceAll(`${docId}-without`, docId)
    expect(named(await outline(docId), seen)).toBe(named(await outline(`${docId}-without`), twins))
    for (const [i, id] of seen.entries()) {
      const args = `, before: ${draw.upTo(4)}, after: ${draw.upTo(4)}`
      expect(named(await neighbours(id, args), seen)).toBe(named(await neighbours(twins[i] ?? '', args), twins))
    }
  })
})

it('reads are recorded', async () => {
  const [unitId = ''] = await write('logged', [{ text: 'One.' }, { text: 'Two.' }])
  await outline('logged')
  await neighbours(unitId)
  const rows = async () => (await app.call('GET', '/v1/audit?limit=100', { token: keeper })).body.rows
  await expect
    .poll(rows)
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'docs.get', target: 'logged', principal_id: 'reader' }),
        expect.objectContaining({ action: 'units.list', detail: expect.objectContaining({ near: unitId, units: 1 }) }),
      ]),
    )
})
