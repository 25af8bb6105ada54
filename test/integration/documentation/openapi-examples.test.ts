import { readFileSync, writeFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answers, type Step, startStory } from '../../support/openapi/story.ts'
import { withoutSecrets, withoutVarying } from '../../support/openapi/varying.ts'
import type { BillingApp } from '../../support/stripe/billing-app.ts'

interface Json {
  schema: object
  example?: object
}

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'))
const operations = Object.keys(paths).flatMap((path) =>
  Object.keys(paths[path]).map((name) => {
    const { requestBody, responses } = paths[path][name]
    const sent: Json | undefined = requestBody?.content['application/json']
    const answer: Json = responses[200].content['application/json']
    const method = name.toUpperCase()
    return { name: `${method} ${path}`, method, path, sent, answer }
  }),
)
const ajv = new Ajv2020({ strict: false, validateFormats: false })
const fits = (schema: object, value: unknown) => {
  const check = ajv.compile({ ...schema, components })
  return check(value) ? null : check.errors
}

/** With RECORD=1 the answers are written, for `npm run schema`, instead of compared. */
const recording = process.env.RECORD === '1'

let billing: BillingApp
let steps: readonly Step[]
const answers: Record<string, Answers[string]> = {}
beforeAll(async () => {
  const story = await startStory()
  billing = story.billing
  steps = story.steps
})
afterAll(async () => {
  await billing?.[Symbol.asyncDispose]()
  if (!recording) return
  const text = JSON.stringify(withoutSecrets(answers, billing.stripe.url), null, 2)
  writeFileSync(new URL('../../../src/http/rest/openapi-answers.json', import.meta.url), `${text}\n`)
})

describe('the examples of openapi.json', () => {
  test('are there for every body that has a field, and for every answer', () => {
    const bare = operations.filter(({ sent }) => sent && 'properties' in resolved(sent.schema) && !sent.example)
    expect(bare.map(({ name }) => name)).toEqual([])
    expect(steps.map(([name]) => name).toSorted()).toEqual(operations.map(({ name }) => name).toSorted())
    if (!recording) expect(operations.filter(({ answer }) => !answer.example).map(({ name }) => name)).toEqual([])
  })

  test.each(operations.keys().toArray())('are true: step %i', async (i) => {
    const [name, how] = steps[i] ?? []
    const operation = operations.find((one) => one.name === name)
    if (name === undefined || how === undefined || operation === undefined) throw new Error(`${name} is not described`)
    const { method, sent, answer } = operation
    if (sent?.example) expect(fits(sent.schema, sent.example), name).toBeNull()
    const { path = operation.path, ...options } = await how(answers)
    const { status, body } = await billing.app.call(method, path, { body: sent?.example, ...options })
    expect(status, `${name}: ${JSON.stringify(body)}`).toBe(200)
    answers[name] = body
    expect(fits(answer.schema, body), name).toBeNull()
    if (recording) return
    expect(fits(answer.schema, answer.example ?? {}), name).toBeNull()
    expect(withoutVarying(answer.example), name).toEqual(withoutVarying(body))
  })

  test('say something, and no secret', () => {
    expect(answers['POST /v1/search'].hits).not.toEqual([])
    expect(answers['POST /v1/answer'].answer.abstained).toBe(false)
    expect(answers['POST /v1/units:delete'].matched).toBe(1)
    const shown = JSON.stringify(operations.map(({ answer }) => answer.example))
    expect(shown).not.toMatch(/127\.0\.0\.1|svc_[a-z]+_\w/)
  })
})

function resolved(schema: object): object {
  const name = '$ref' in schema ? String(schema.$ref).split('/').at(-1) : undefined
  const found = name === undefined ? schema : components.schemas[name]
  return Object.keys(found.properties ?? {}).length > 0 ? found : {}
}
