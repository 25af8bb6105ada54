import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { propertyRuns, propertySeed } from '../support/amounts.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { columnsOfUnit, type Described, isMet, metadata, sentFilter } from '../support/index/filters.ts'
import { type OpenProfile, openProfile, type Profile } from '../support/profiles.ts'

const ingest = /* GraphQL */ `mutation ($units: [UnitInput!]!) { ingest(input: { units: $units }) { indexed } }`

const ask = /* GraphQL */ `query ($filters: SearchFiltersInput!, $input: SearchInput!) {
  units(limit: 100, filters: $filters) { units { externalId } }
  docs(limit: 100, filters: $filters) { count }
  facets(input: { fields: ["modality"], filters: $filters }) { count }
  search(input: $input) { hits { externalId metadata } trace { degraded } }
}`

const everything = /* GraphQL */ `{
  units(limit: 100) { units { externalId plane modality docId mime aclOwner createdAt updatedAt metadata
    locator { __typename ... on TimeRange { tStartMs tEndMs } } } }
}`

const profiles: Profile[] = ['embedded', 'scale-out']

/** What the catalog, the index and the check of its candidates say is what a filter means. */
describe.each(profiles)('filters of any kind over metadata of any shape (%s)', (name) => {
  let profile: OpenProfile
  let app: TestApp
  let token: string
  let units: (Described & { externalId: string })[]

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
      const found = await query(ask, { filters, input })
      const met = units.filter((unit) => isMet(filters, unit))
      const expected = met.map((unit) => unit.externalId)
      const at = JSON.stringify(filters)
      expect(idsOf(found.units.units), at).toEqual(expected)
      expect(found.facets.count, at).toBe(met.length)
      expect(found.docs.count, at).toBe(new Set(met.map((unit) => unit.docId ?? [unit])).size)
      expect(idsOf(found.search.hits).toSorted(), at).toEqual(expected.toSorted())
      expect(found.search.trace.degraded).toEqual([])
      if (met.length > 0 && met.length < units.length) told += 1
    })
    const numRuns = propertyRuns(name === 'embedded' ? 60 : 25)
    await fc.assert(property, { seed: propertySeed, numRuns })
    expect(told).toBeGreaterThan(numRuns / 6)
  })
})

const idsOf = (units: { externalId: string }[]) => units.map(({ externalId }) => externalId)
