import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { renderPath } from '../../../src/errors.ts'
import { boot, type Reply, type TestApp } from '../../support/boot.ts'
import { titleOf, valuesAt, withValue } from '../../support/documented-bounds/bound.ts'
import { type GraphqlBound, graphqlBounds } from '../../support/documented-bounds/graphql.ts'
import { graphqlRequests, memberAt, restRequests } from '../../support/documented-bounds/requests.ts'
import { type RestBound, restBounds } from '../../support/documented-bounds/rest.ts'
import { problemsOfDetail } from '../../support/texts/error-details.ts'

const secret = 'cron-secret-of-tests'
let app: TestApp
/** One namespace per API. */
let tokens: { rest: string; graphql: string }
let made = 0

beforeAll(async () => {
  const { billing } = readConfig({ CRON_SECRET: secret })
  // An invitation for an address needs mails; none is sent.
  app = await boot({ config: { billing, mail: { kind: 'webhook', url: 'http://127.0.0.1:1' } } })
  const boss = (namespace: string) => app.principal({ id: `${namespace}-boss`, namespace })
  tokens = { rest: await boss('rest'), graphql: await boss('graphql') }
  // A grant requires an existing principal, so principals exist for ids just inside the bounds.
  for (const id of ['a', 'a'.repeat(128)]) await app.principal({ id, namespace: 'elsewhere' })
  await createGolden()
})
afterAll(() => app.close())

const createGolden = () =>
  app.graphql(
    'mutation { createGoldenQueries(queries: [{ q: "x", expectedUnitIds: ["u"] }]) { created } }',
    {},
    { token: tokens.graphql },
  )

/** A token in a new namespace if an earlier call limits what a later call may send. */
const tokenFor = async (door: 'rest' | 'graphql', isFresh: boolean): Promise<string> => {
  if (!isFresh) return tokens[door]
  made += 1
  return app.principal({ id: `fresh-${made}`, namespace: `fresh-${made}` })
}

describe('REST', () => {
  const bounds = restBounds()

  it('documents bounds', () => {
    expect(bounds.length).toBeGreaterThan(150)
  })

  async function send(place: RestBound, value: unknown): Promise<Reply> {
    const { method, path, operationId, bound } = place
    const as =
      path === '/v1/billing/reconcile'
        ? secret
        : await tokenFor(
            'rest',
            bound.place.some((one) => one === 'vector' || one === 'vector_base64'),
          )
    const base = restRequests[operationId]?.(bound.place) ?? {}
    if (place.in === 'path') {
      return app.call(method, path.replace(/\{\w+\}/, encodeURIComponent(`${value}`)), { token: as })
    }
    const request = withValue(method === 'POST' && place.in === 'query' ? {} : base, bound.place, value)
    if (place.in === 'body') return app.call(method, path, { token: as, body: request })
    const query = new URLSearchParams(Object.entries(request as object).map(([name, sent]) => [name, `${sent}`]))
    const to = `${path.replace(/\{\w+\}/, 'a')}?${query}`
    return app.call(method, to, { token: as, ...(method === 'POST' && { body: base }) })
  }

  it.each(bounds.map((place) => [`${place.method} ${place.path}: ${titleOf(place.bound)}`, place] as const))(
    '%s',
    async (_, place) => {
      const { inside, outside } = valuesAt(place.bound, memberAt(place.bound.place))
      const good = await send(place, inside)
      if (!isLater(good.body.detail)) expect(good.status, JSON.stringify(good.body).slice(0, 300)).not.toBe(400)
      for (const value of outside) {
        const { status, body } = await send(place, value)
        // With an empty segment the route does not exist.
        if (place.in === 'path' && value === '') expect(status).toBe(404)
        else {
          const named = place.in === 'query' ? place.bound.place.slice(0, 1) : place.bound.place
          expect([status, body.detail]).toEqual([400, expect.stringMatching(problemAt(named))])
          expect(problemsOfDetail(body.detail)).toEqual([])
        }
      }
    },
  )
})

/** Of a filter the number of its conditions is a problem of the whole. */
const problemAt = (place: (string | number)[]) =>
  new RegExp(`${renderPath(place).replace(/[[\]]/g, '\\$&')}: |^filters?: must have at most 64 conditions`)

/** Bounds come before what the values name: an unknown source or field, a picture that is none, or that no model reads. */
const isLater = (problem: string | undefined) =>
  /^scope: must not exist yet$|^q: must be the question$|must be the id of a principal of this|^to: must be after|^(?:modality|plane): must be one of|^sourceUri: must be a source that you uploaded$|^fields\[0\]: must be plane, |^image(?:\.base64)?: (?:must be base64|no model here)|^image\.sourceUri: is not allowed here/.test(
    problem ?? '',
  )

describe('GraphQL', () => {
  const bounds = graphqlBounds()
  const requests = graphqlRequests(secret)

  it('documents bounds', () => {
    expect(bounds.length).toBeGreaterThan(200)
  })

  async function send({ field, document, bound }: GraphqlBound, value: unknown) {
    const as = await tokenFor('graphql', bound.place.includes('vector') || field === 'createGoldenQueries')
    const { body } = await app.graphql(
      document,
      withValue(requests[field]?.(bound.place) ?? {}, bound.place, value) as Record<string, unknown>,
      { token: as },
    )
    return body.errors?.[0]
  }

  it.each(bounds.map((place) => [`${place.field}: ${titleOf(place.bound)}`, place] as const))(
    '%s',
    async (_, place) => {
      const { inside, outside } = valuesAt(place.bound, memberAt(place.bound.place))
      const error = await send(place, inside)
      if (!isLater(error?.message)) expect(error?.extensions.status, error?.message).not.toBe(400)
      const { place: sent } = place.bound
      const field = sent[0] === 'input' ? sent.slice(1) : sent
      for (const value of outside) {
        const { message, extensions } = await send(place, value)
        expect([extensions.status, message]).toEqual([400, expect.stringMatching(problemAt(field))])
        expect(problemsOfDetail(message)).toEqual([])
      }
    },
  )
})
