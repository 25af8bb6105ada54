import type { Bound } from './bound.ts'

type Place = Bound['place']
/** A request that is valid except for the value at the path, which may be missing. */
type Request = (place: Place) => object

const camel = (name: string) => name.replace(/_[a-z]/g, (part) => part.slice(1).toUpperCase())
const wireOr = (graphql: boolean) => (name: string) => (graphql ? camel(name) : name)

const locators = [
  { kind: 'time_range', t_start_ms: 0, t_end_ms: 10 },
  { kind: 'bbox', x: 0, y: 0, w: 0, h: 0, page: 0 },
  { kind: 'char_span', start: 0, end: 10 },
]

const unit = { text: 'x', scope: 'shelf' }

function requestsOf(graphql: boolean) {
  const named = wireOr(graphql)
  const names = (members: object) => Object.fromEntries(Object.entries(members).map(([key, v]) => [named(key), v]))
  const locatorFor = (place: Place) =>
    locators.map(names).find((locator) => Object.hasOwn(locator, `${place.at(-1)}`)) ?? {}
  const range = (place: Place) =>
    place.includes(named('time_range')) ? { [named('time_range')]: names({ t_start_ms: 0, t_end_ms: 10 }) } : {}
  const filtered: Request = (place) => (place.includes('filters') ? { filters: range(place) } : {})
  const boostFor = (place: Place) =>
    place.includes('weight') || place.includes('filter')
      ? { filter: { plane: ['text'] }, weight: 1 }
      : names({ by: 'created_at', half_life_days: 1 })
  return {
    filtered,
    search: (place: Place) => ({
      ...(place.includes(named('similar_to')) ? {} : { q: 'x' }),
      ...(place.includes(named('group_size')) && names({ group_by: 'doc_id' })),
      ...(place.includes('boost') && { boost: [boostFor(place)] }),
      ...(place.includes('sort') && { sort: [{ by: 'created_at' }] }),
      ...(place.includes('history') && { history: [{ q: 'x', answer: 'y' }] }),
      ...filtered(place),
    }),
    ingest: (place: Place) => ({
      units: [{ ...unit, ...(place.includes('locator') && { locator: locatorFor(place) }) }],
    }),
    deleteUnits: (place: Place) =>
      place.includes('ids')
        ? {}
        : {
            filter: {
              ...(place.some((one) => /^(?:metadata|and|or)$/.test(`${one}`)) ? {} : { [named('doc_id')]: 'none' }),
              ...range(place),
            },
          },
    proof: (place: Place) => (place.some((one) => /^(?:size|after_seq|scope)$/.test(`${one}`)) ? { seq: 1 } : {}),
    grant: () => names({ principal_id: 'a', scope: 'x', perms: ['read'] }),
  }
}

const rest = requestsOf(false)
/** Bodies by operation id; for a route without a body, its query. `{}` if any request is valid. */
export const restRequests: Record<string, Request> = {
  post_search: rest.search,
  post_answer: rest.search,
  post_ingest: rest.ingest,
  post_units_delete: rest.deleteUnits,
  post_grants: rest.grant,
  get_audit_proof: rest.proof,
  post_namespaces: () => ({ namespace: 'ab' }),
  post_scopes: () => ({ scope: 'x' }),
  post_billing_checkout: () => ({ tier: 'pro', cadence: 'monthly' }),
}

const graphql = requestsOf(true)
const asInput =
  (request: Request): Request =>
  (place) => ({ input: request(place) })
const goldenQuery = { q: 'x', expectedUnitIds: ['u'], expectedAnswers: ['yes'] }

/** Variables by root field; `secret` is the cron secret. */
export const graphqlRequests = (secret: string): Record<string, Request> => ({
  search: asInput(graphql.search),
  searchAs: (place) => ({ principalId: 'a', input: graphql.search(place) }),
  units: graphql.filtered,
  unitsAs: (place) => ({ principalId: 'a', ...graphql.filtered(place) }),
  docs: graphql.filtered,
  facets: (place) => ({ input: { fields: ['plane'], ...graphql.filtered(place) } }),
  answer: asInput(graphql.search),
  ingest: asInput(graphql.ingest),
  deleteUnits: asInput(graphql.deleteUnits),
  createGrant: asInput(graphql.grant),
  auditProof: graphql.proof,
  explainAccess: (place) => ({ principalId: 'a', ...(place.includes('principalId') && { scope: 'x' }) }),
  createInvitation: () => ({ input: { scope: 'x', perms: ['read'] } }),
  createApiKey: () => ({ input: { name: 'k' } }),
  setSynonyms: (place) => ({
    input: place.includes('groups') ? { groups: [['a', 'b']] } : { oneWay: [{ from: 'a', to: ['b'] }] },
  }),
  createGoldenQueries: () => ({ queries: [goldenQuery] }),
  deleteDocuments: () => ({ documentIds: ['d'] }),
  ingestDocument: () => ({ input: { sourceUri: 'source://none', name: 'a', scope: 'shelf' } }),
  createUpload: () => ({ input: { bytes: 1 } }),
  sourceLink: () => ({ unitId: 'u' }),
  createSource: () => ({ input: { data: 'eA==' } }),
  publishReport: () => ({ run: 'a' }),
  transferNamespace: () => ({ input: { namespace: 'ab', principalId: 'a' } }),
  updateScope: () => ({ scope: 'none', input: { readOnlyAgents: true } }),
  changeGroup: () => ({ name: 'g', input: { displayName: 'x' } }),
  renameGroup: () => ({ name: 'g', newName: 'h' }),
  groupMembers: () => ({ name: 'g' }),
  embed: () => ({ texts: ['x'] }),
  outline: () => ({ docId: 'd' }),
  neighbours: () => ({ unitId: 'u' }),
  grantAdmin: () => ({ email: 'a@b.c' }),
  setTier: () => ({ namespace: 'ab', tier: 'pro' }),
  updatePrincipal: () => ({ id: 'a', input: { readOnly: true } }),
  usageSeries: () => ({ from: 0, to: 1, step: 'day' }),
  updateReaders: (place) => ({
    input: {
      aclGroups: ['g'],
      ...(place.some((one) => one === 'ids' || one === 'docId') ? {} : graphql.deleteUnits(place)),
    },
  }),
  updateUnit: () => ({ unitId: 'u', input: { aclOwner: 'o' } }),
  reconcileBilling: () => ({ secret }),
})

/** Members of lists, where not any string will do; all are different. */
export const memberAt = (place: Place) => (i: number) => {
  const name = place.at(-1)
  if (name === 'and' || name === 'or') return { plane: ['text'] }
  if (name === 'boost') return { filter: { plane: ['text'] }, weight: 1 }
  if (name === 'groups') return [`a${i}`, `b${i}`]
  if (name === 'oneWay') return { from: `a${i}`, to: ['b'] }
  if (name === 'sort') return { by: `metadata.m${i}` }
  if (name === 'fields' || name === 'facets') return `metadata.m${i}`
  if (place.includes('history')) return { q: `q${i}`, answer: 'y' }
  return place.includes('queries') ? { ...goldenQuery, q: `q${i}` } : { ...unit, text: `u${i}` }
}
