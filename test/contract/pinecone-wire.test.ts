import { existsSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, type ModelServer, startModelServer } from '../support/model-server.ts'
import { pineconeSettings, remoteModels } from '../support/remote-models.ts'

/** The vendor's own document, kept beside the project. */
const document = new URL('../../../shared/contracts/pinecone/inference.openapi.json', import.meta.url)

describe.skipIf(!existsSync(document))('Pinecone’s document of its API (../shared/contracts)', () => {
  let server: ModelServer
  let api: Json
  const answers: { path: string; answer: Json }[] = []

  beforeAll(async () => {
    api = JSON.parse(readFileSync(document, 'utf8'))
    server = await startModelServer()
    server.always = {
      kind: 'changed',
      change: (answer) => {
        answers.push({ path: server.asked.at(-1)?.path ?? '', answer })
        return answer
      },
    }
    const { inference, reranker } = remoteModels(pineconeSettings(server.url))
    await inference.embed('text', ['a passage', 'another'], 'passage')
    await inference.embed('text', ['a query'], 'query')
    await reranker.score('a query', [
      { text: 'a text', score: 0.1 },
      { text: 'another', score: 0.2 },
    ])
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const validate = (schema: Json, value: Json) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ ...api, $id: 'api' })
    const check = ajv.compile({ $ref: `api#${schema.$ref.slice(1)}` })
    check(value)
    return check.errors ?? []
  }
  const jsonOf = (part: Json) => part.content['application/json'].schema

  it('holds of every request', () => {
    expect(server.asked.map(({ path }) => path)).toEqual(['/embed', '/embed', '/rerank'])
    for (const { path, headers, body } of server.asked) {
      const { post } = api.paths[path]
      expect(validate(jsonOf(post.requestBody), body)).toEqual([])
      expect(validate(jsonOf(post.requestBody), { ...body, model: 7 })).not.toEqual([])
      const [version] = post.parameters
      expect(version.schema.enum).toContain(headers[version.name.toLowerCase()])
    }
  })

  it('holds of every answer that the tests’ server gives', () => {
    expect(answers).toHaveLength(3)
    for (const { path, answer } of answers) {
      expect(validate(jsonOf(api.paths[path].post.responses[200]), answer)).toEqual([])
    }
  })
})
