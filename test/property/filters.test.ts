import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { propertyRuns, propertySeed, shortOrLong } from '../support/amounts.ts'
import { boot, type TestApp } from '../support/boot.ts'
import {
  byCodePoint,
  columnsOfUnit,
  type Described,
  isMet,
  metadata,
  path,
  sentFilter,
  valueAt,
} from '../support/index/filters.ts'
import { type OpenProfile, openProfile, type Profile } from '../support/profiles.ts'

const ingest = /* GraphQL */ `mutation ($units: [UnitInput!]!) { ingest(input: { units: $units }) { indexed } }`

const ask = /* GraphQL */ `query ($filters: SearchFiltersInput!, $input: SearchInput!, $boosted: SearchInput!) {
  units(limit: 100, filters: $filters) { units { externalId } }
  docs(limit: 100, filters: $filters) { count }
  facets(input: { fields: ["modality"], filters: $filters }) { count }
  search(input: $input) { hits { externalId metadata } trace { degraded } }
  boosted: search(input: $boosted) { hits { externalId explain { leg } } }
}`

const arrange = /* GraphQL */ `query ($sorted: SearchInput!, $grouped: SearchInput!) {
  sorted: search(input: $sorted) { hits { externalId } facets { missing other values { value count } } }
  grouped: search(input: $grouped) { hits { group { value hits { externalId } } } }
}`

const everything = /* GraphQL */ `{
  units(limit: 100) { units { unitId externalId plane modality docId mime aclOwner createdAt updatedAt metadata
    locator { __typename ... on TimeRange { tStartMs tEndMs } } } }
}`

const profiles: Profile[] = ['embedded', 'scale-out']

/** What the catalog, the index and the check of its candidates say is what a filter means. */
describe.each(profiles)('filters of any kind over metadata of any shape (%s)', (name) => {
  let profile: OpenProfile
  let app: TestApp
  let token: string
  let units: (Described & { unitId: string; externalId: string })[]

  const query = async (text: string, variables: Record<string, unknown>) => {
    const { status, body } = await app.graphql(text, variables, { token, scope: 'shelf' })
    expect([status, body.errors], JSON.stringify(variables)).toEqual([200, undefined])
    return body.data
  }

  beforeAll(async () => {
    profile = await openProfile(name)
    app = await boot({ config: profile.config })
    token = await app.principal({ id: 'a', namespace: 'library' })
    const drawn = fc.record({ metadata, columns: columnsOfUnit })
    const sent = fc.sample(drawn, { seed: propertySeed, numRuns: 45 }).map(({ columns, metadata }, i) => {
      const { docId, mime, ...rest } = columns
      return { externalId: `e${i}`, text: 'alpha', ...rest, metadata, ...(docId && { docId }), ...(mime && { mime }) }
    })
    expect(await query(ingest, { units: sent })).toEqual({ ingest: { indexed: true } })
    const listed = await query(everything, {})
    units = listed.units.units.map((unit: Described & { locator: { __typename: string } | null }) => ({
      ...unit,
      acl: { owner: 'a' },
      locator: unit.locator?.__typename === 'TimeRange' ? { kind: 'time_range', ...unit.locator } : null,
    }))
    // Any metadata comes back as it was sent.
    expect(units.map((unit) => unit.metadata)).toEqual(sent.map((unit) => unit.metadata))
  })
  afterAll(async () => {
    await app.close()
    await profile.close()
  })

  it('mean the same in lists, documents, facets and searches', async () => {
    let told = 0
    const property = fc.asyncProperty(sentFilter, fc.boolean(), async (filters, byWords) => {
      const input = { q: byWords ? 'alpha' : '', topK: 50, filters }
      const boosted = { q: 'alpha', topK: 50, boost: [{ filter: filters, weight: 2 }] }
      const found = await query(ask, { filters, input, boosted })
      const met = units.filter((unit) => isMet(filters, unit))
      const expected = met.map((unit) => unit.externalId)
      const at = JSON.stringify(filters)
      expect(idsOf(found.units.units), at).toEqual(expected)
      expect(found.facets.count, at).toBe(met.length)
      expect(found.docs.count, at).toBe(new Set(met.map((unit) => unit.docId ?? [unit])).size)
      expect(idsOf(found.search.hits).toSorted(), at).toEqual(expected.toSorted())
      expect(found.search.trace.degraded).toEqual([])
      const raised = found.boosted.hits.filter(({ explain }: { explain: { leg: string }[] }) =>
        explain.some(({ leg }) => leg === 'boost:filter'),
      )
      expect(idsOf(raised).toSorted(), at).toEqual(expected.toSorted())
      if (met.length > 0 && met.length < units.length) told += 1
    })
    const numRuns = propertyRuns(name === 'embedded' ? shortOrLong(15, 60) : 25)
    await fc.assert(property, { seed: propertySeed, numRuns })
    expect(told).toBeGreaterThan(numRuns / 6)
  })

  it('give the values by which results are sorted, grouped and counted', async () => {
    const property = fc.asyncProperty(path, fc.constantFrom('asc', 'desc'), async (at, order) => {
      const field = `metadata.${at}`
      const valueIn = (unit: Described) => valueAt(unit.metadata, at) ?? null
      const all = { q: 'alpha', topK: 50 }
      const sorted = { ...all, sort: [{ by: field, order }], facets: [field], facetsLimit: 100 }
      const found = await query(arrange, { sorted, grouped: { ...all, groupBy: field, groupSize: 5 } })
      const inOrder = units.toSorted(
        (a, b) => compared(valueIn(a), valueIn(b), order) || (a.unitId < b.unitId ? -1 : 1),
      )
      expect(idsOf(found.sorted.hits), field).toEqual(idsOf(inOrder))

      const groups = Map.groupBy(units, (unit) => (valueIn(unit) === null ? unit.unitId : canonical(valueIn(unit))))
      const sizes = [...groups].map(([key, of]) => [
        of.every((unit) => valueIn(unit) === null) ? 'null' : key,
        of.length,
      ])
      const seen = found.grouped.hits.map(({ group }: { group: { value: Json; hits: object[] } }) => [
        canonical(group.value),
        group.hits.length,
      ])
      expect(seen.sort(), field).toEqual(sizes.map(([key, size]) => [key, Math.min(5, Number(size))]).sort())

      const elements = units.map((unit) => [...new Set(scalarsOf(valueIn(unit)))])
      const counts = Map.groupBy(elements.flat(), (value) => JSON.stringify(value))
      const [facet] = found.sorted.facets
      const counted = facet.values.map(({ value, count }: { value: Json; count: number }) => [
        JSON.stringify(value),
        count,
      ])
      expect(counted.sort(), field).toEqual([...counts].map(([value, of]) => [value, of.length]).sort())
      expect([facet.missing, facet.other], field).toEqual([elements.filter((of) => of.length === 0).length, 0])
    })
    await fc.assert(property, {
      seed: propertySeed,
      numRuns: propertyRuns(name === 'embedded' ? shortOrLong(10, 30) : 15),
    })
  })
})

type Json = Described['metadata'][string]

/** Numbers, then texts by code point, then booleans; all else comes last. */
function compared(a: Json, b: Json, order: string): number {
  const [rank, other] = [a, b].map((one) => ['number', 'string', 'boolean'].indexOf(typeof one)) as [number, number]
  if (rank < 0 || other < 0) return Number(rank < 0) - Number(other < 0)
  const way = order === 'asc' ? 1 : -1
  if (rank !== other) return way * (rank - other)
  return way * (typeof a === 'string' ? byCodePoint(a, String(b)) : Number(a) - Number(b))
}

const scalarsOf = (value: Json): Json[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => ['number', 'string', 'boolean'].includes(typeof one))

/** With the keys of objects in order. */
const canonical = (value: Json): string =>
  JSON.stringify(value, (_, one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )

const idsOf = (units: { externalId: string }[]) => units.map(({ externalId }) => externalId)
