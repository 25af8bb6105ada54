import { afterAll, beforeAll, expect, it } from 'vitest'
import { propertyRuns, shortOrLong } from '../support/amounts.ts'
import { type BillingApp, startBillingApp } from '../support/stripe/billing-app.ts'
import { forAllRuns, timeoutFor } from './draw.ts'
import { type Operation, readDocument } from './openapi/document.ts'
import { drawRequest, type Sent } from './openapi/request.ts'
import { buildWorld } from './openapi/world.ts'

const runs = propertyRuns(shortOrLong(2, 4))
const requestsPerRun = 50
/** Otherwise too little is tried: each of these must come, within this number of requests of a run. */
const [kinds, maxPerRun] = [[200, 400, 401, 403, 404], 1_000]

let billing: BillingApp
beforeAll(async () => {
  billing = await startBillingApp()
})
afterAll(() => billing[Symbol.asyncDispose]())

it('any request of openapi.json gets an answer of openapi.json', { timeout: timeoutFor(runs) }, async () => {
  const { operations, schemas } = readDocument()
  // A body has more to get wrong.
  const drawn = [...operations, ...operations.filter(({ body }) => body !== null)]
  const answered: Record<number, number> = {}
  await forAllRuns(runs, async (draw, run) => {
    const world = await buildWorld(billing.app, run)
    const isMissing = () => kinds.some((status) => answered[status] === undefined)
    for (let i = 0; i < requestsPerRun || (isMissing() && i < maxPerRun); i++) {
      const operation = draw.pick(drawn)
      const status = await checkRequest(operation, drawRequest(draw, operation, world, schemas))
      answered[status] = (answered[status] ?? 0) + 1
    }
  })
  expect(Object.keys(answered).map(Number)).toEqual(expect.arrayContaining(kinds))
})

/** What no schema of one value says: how fields go together, what is there already, signatures, what a scalar of any type holds. */
const beyondSchema = new RegExp(
  [
    'exactly one of',
    'must not be empty without',
    'at least one of',
    'must have either',
    'must not be there',
    'must be the question',
    'must not be false here',
    'must be 1 without groups',
    'must not repeat',
    'must not exist yet',
    'existing',
    'at most the latest seq',
    'no subscription exists yet',
    'signature',
    '\\bfilters?\\b',
    'locator',
    'time_range',
  ].join('|'),
)

async function checkRequest({ method, path: template, answers }: Operation, sent: Sent): Promise<number> {
  const { path, options } = sent
  const reply = await billing.app.call(method, path, options)
  const what =
    () => `${method} ${template}\n${JSON.stringify({ ...sent, options: { ...options, token: sent.kind } }).slice(0, 2000)}
${reply.status} ${JSON.stringify(reply.body).slice(0, 1000)}`
  const { status, body } = reply
  if (status >= 500) throw new Error(`a fault: ${what()}`)
  const check = answers.get(status)
  if (check === undefined) throw new Error(`an undocumented status: ${what()}`)
  if (check === null) expect(body, what()).toBe('')
  else if (!check(body)) throw new Error(`a body outside its schema: ${JSON.stringify(check.errors)}\n${what()}`)
  if (status >= 400) expect(body.status, what()).toBe(status)
  if (status === 400 && sent.fits && !beyondSchema.test(body.detail)) throw new Error(`it fits the document: ${what()}`)
  return status
}
