import { afterAll, beforeAll, describe } from 'vitest'
import type { Models } from '../../src/ports/models/models.ts'
import { type LocalModels, localModels, tinySettings } from '../support/onnx/local-models.ts'
import { tempDir } from '../support/temp-dir.ts'
import { entailmentContract } from './entailment.contract.ts'
import { inferenceContract } from './inference.contract.ts'
import { rerankerContract } from './reranker.contract.ts'

describe('local models', () => {
  let directory: ReturnType<typeof tempDir>
  let local: LocalModels
  const models = async (): Promise<Models> => local.models

  beforeAll(async () => {
    directory = tempDir('onnx-contract')
    local = await localModels(tinySettings(directory.path))
  })
  afterAll(async () => {
    await local?.close()
    directory.remove()
  })

  inferenceContract('onnx', async () => (await models()).inference)
  rerankerContract('onnx', async () => (await models()).reranker)
  entailmentContract('onnx', async () => (await models()).entailment)
})
