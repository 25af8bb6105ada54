import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, type ModelServer, startModelServer } from '../support/models/model-server.ts'
import { pineconeSettings, remoteModels } from '../support/models/remote-models.ts'
import { type ApiDocument, hasDocument, readDocument } from '../support/texts/api-document.ts'

/** The vendor's own document, next to the project. */
const document = 'pinecone/inference.openapi.json'

describe.skipIf(!hasDocument(document))('Pinecone’s document of its API (../shared/contracts)', () => {
  let server: ModelServer
  let api: ApiDocument<Json>
  const answers: { path: string; answer: Json }[] = []

  beforeAll(async () => {
    api = readDocument(document)
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

  const jsonOf = (part: Json) => part.content['application/json'].schema

  it('holds of every request', () => {
    expect(server.asked.map(({ path }) => path)).toEqual(['/embed', '/embed', '/rerank'])
    for (const { path, headers, body } of server.asked) {
      const post = api.operationOf('POST', path)
      expect(api.problemOf(jsonOf(post.requestBody), body)).toBeNull()
      expect(api.problemOf(jsonOf(post.requestBody), { ...body, model: 7 })).toContain('model')
      const [version] = post.parameters
      expect(version.schema.enum).toContain(headers[version.name.toLowerCase()])
    }
  })

  it('holds of every answer that the tests’ server gives', () => {
    expect(answers).toHaveLength(3)
    for (const { path, answer } of answers) {
      expect(api.problemOf(jsonOf(api.operationOf('POST', path).responses[200]), answer)).toBeNull()
    }
  })
})
