import { setTimeout as sleep } from 'node:timers/promises'
import { closedLoop } from '../support/closed-loop.ts'
import { graphqlOf } from '../support/graphql.ts'
import { benchDir } from '../support/leave-nothing.ts'
import type { LoadGenerator } from '../support/load.ts'
import { call, startService, stopService } from '../support/service.ts'
import { printTable, short } from '../support/table.ts'
import type { Dataset } from './data.ts'
import { type Fields, ingest } from './ingest.ts'
import { hitIds } from './measure.ts'
import { makePrincipals } from './principals.ts'

const pick = <T>(of: readonly T[], i: number): T | undefined => of[i % of.length]
const languages = ['en', 'de', 'fr']
const tags = ['anchor', 'deck', 'ferry', 'harbour', 'heron', 'hull', 'lamp', 'mast', 'quay', 'rope', 'sail', 'tide']

/** Metadata of several shapes: few values, many, one for each Unit, lists, nested objects. */
const fieldsOf = (unit: number): Fields => ({
  doc_id: `d${unit >> 5}`,
  metadata: {
    year: 1900 + (unit % 120),
    lang: pick(languages, unit),
    tags: [pick(tags, unit), pick(tags, unit * 3)],
    loc: { lines: { from: unit % 997, to: (unit % 997) + 10 } },
    source: `/files/${unit}.txt`,
    done: unit % 2 === 0,
    score: unit / 7,
    made: new Date(1.7e12 + unit * 1e5).toISOString(),
  },
})

/** 20 conditions with other values each time. */
const twenty = (i: number) => ({
  metadata: {
    ...{ year: { gte: 1905 + (i % 50), lt: 2010 }, lang: ['en', 'de'], tags: { nin: [`t${i}`] } },
    ...{ 'loc.lines.from': { gte: 3, lte: 990 - i }, 'loc.lines.to': { gt: 5 }, source: { prefix: '/files/' } },
    ...{ done: { ne: null }, score: { gte: i }, missing: null, made: { gt: new Date(1.7e12 + i).toISOString() } },
  },
  ...{ doc_id: { prefix: 'd' }, external_id: { ne: `e${i}` }, mime: null, modality: ['text', 'ocr'] },
  ...{ acl_owner: 'writer', created_at: { gt: i }, plane: 'text' },
  or: [{ doc_id: { ne: `d${i}` } }, { metadata: { year: 1950 + i } }, { metadata: { lang: 'fr' } }],
})

const facets = ['plane', 'modality', 'doc_id', 'created_at', 'metadata.lang', 'metadata.tags', 'metadata.year']

/** What each search adds to the body. */
const kinds: Record<string, (i: number) => object> = {
  plain: () => ({}),
  'one filter, others each time': (i) => ({ filters: { metadata: { year: { gte: 1900 + (i % 90) } } } }),
  '20 conditions, others each time': (i) => ({ filters: twenty(i) }),
  '20 conditions, the same': () => ({ filters: twenty(0) }),
  'facets of 8 fields': () => ({ facets: [...facets, 'metadata.source'], facets_limit: 10 }),
  'sort by a time of the metadata': () => ({ sort: [{ by: 'metadata.made', order: 'desc' }] }),
  'sort by created_at, page 11': () => ({ sort: [{ by: 'created_at', order: 'asc' }], offset: 100 }),
  'group by document': () => ({ group_by: 'doc_id', group_size: 3 }),
}

/** What filters, facets, sorts, groups and changes of readers take, beside a plain search. All are sent in turn. */
export async function reportByFields(load: LoadGenerator, dataset: Dataset, rounds: number): Promise<void> {
  const folder = benchDir('by-fields')
  const [selectivity = 1] = dataset.selectivities
  const { writer, readers } = await makePrincipals(folder.path, dataset.selectivities)
  await using service = await startService(folder.path)
  const target = { load, origin: service.url, token: writer, dataset, fieldsOf }
  await ingest(target, { start: 0, end: dataset.size, clients: 1, form: 'base64' })
  const send = (i: number, more: object, token = writer) => {
    const q = dataset.queries[i % dataset.queries.length]?.text ?? ''
    return call(service.url, '/v1/search', { q, top_k: 10, ...more }, token)
  }
  const took = new Map<string, number[]>()
  for (let round = -5; round < rounds; round++) {
    for (const [name, more] of Object.entries(kinds)) {
      const { p50 } = await closedLoop([() => send(round + 5, more(round + 5))], { count: 1 })
      if (round >= 0) took.set(name, [...(took.get(name) ?? []), p50])
    }
  }
  const median = (name: string) => (took.get(name) ?? []).toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN
  printTable(
    `Searches by fields, ${short(dataset.size)} Units, all readable, k = 10, in turn`,
    ['search', 'median ms', 'x plain', 'more ms'],
    [...took.keys()].map((name) => [
      name,
      short(median(name)),
      short(median(name) / median('plain')),
      short(median(name) - median('plain')),
    ]),
  )
  const ask = graphqlOf(service.url, writer)
  const begun = performance.now()
  const { updateReaders } = await ask(
    'mutation { updateReaders(input: {filter: {metadata: {year: {gte: 1900}}}, aclGroups: ["new"]}) { matched indexed } }',
    {},
  )
  const answered = performance.now() - begun
  // Nobody finds them any more who could by the group of before.
  const hidden = hitIds(await send(0, {}, readers.get(selectivity))).length === 0
  const status = 'query { compaction { planes { pending } } }'
  const pending = async () =>
    (await ask(status, {})).compaction.planes.reduce((sum: number, one: { pending: number }) => sum + one.pending, 0)
  while ((await pending()) > 0) await sleep(50)
  printTable(
    'Other readers for all of them',
    ['what', 'value'],
    [
      ['Units', short(updateReaders.matched)],
      ['answered after s', short(answered / 1000)],
      ['in the index after s', short((performance.now() - begun) / 1000)],
      ['hidden from those before at once', hidden ? 'yes' : 'NO'],
    ],
  )
  await stopService(service)
  folder.remove()
}
