import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type ModelServer, startModelServer } from '../support/models/model-server.ts'
import { builtinModels, openAiSettings, pineconeSettings, remoteModels } from '../support/models/remote-models.ts'
import { answerWriterContract } from './answer-writer.contract.ts'
import { entailmentContract } from './entailment.contract.ts'
import { inferenceContract } from './inference.contract.ts'
import { rerankerContract } from './reranker.contract.ts'

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer()
})

afterAll(() => server[Symbol.asyncDispose]())

beforeEach(() => {
  server.nli = (premise, hypothesis) => (premise === hypothesis ? 0.97 : 0.02)
  server.chat = ({ user }) =>
    JSON.stringify({
      statements: user.includes('lamp')
        ? [
            {
              text: 'The lamp is lit at dusk.',
              sources: [{ passage: 1, quote: 'The lighthouse keeper lights the lamp at dusk.' }],
            },
          ]
        : [],
    })
})

const openAi = async () => remoteModels(openAiSettings(server.url))
const pinecone = async () => remoteModels(pineconeSettings(server.url))

inferenceContract('openai', async () => (await openAi()).inference)
inferenceContract('pinecone', async () => (await pinecone()).inference)

rerankerContract('builtin', async () => builtinModels().reranker)
rerankerContract('openai', async () => (await openAi()).reranker)
rerankerContract('openai, as Text Embeddings Inference spells it', async () => {
  server.refuse = (path, body) => (path !== '/rerank' ? 404 : 'documents' in body ? 422 : null)
  return (await openAi()).reranker
})
rerankerContract('pinecone', async () => {
  server.refuse = () => null
  return (await pinecone()).reranker
})

answerWriterContract('builtin', async () => builtinModels().writer)
answerWriterContract('openai', async () => (await openAi()).writer)

entailmentContract('builtin', async () => builtinModels().entailment)
entailmentContract('tei', async () => (await openAi()).entailment)
entailmentContract('tei beside the other models', async () => {
  const { NLI_BASE_URL, NLI_API_KEY, ...settings } = openAiSettings(server.url)
  return remoteModels(settings).entailment
})
