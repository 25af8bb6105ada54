import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localModels } from '../../test/support/onnx/local-models.ts'
import { cacheFolder } from '../support/cache-folder.ts'
import { findModel, modelName } from './model/find-model.ts'

const dims = 384
const batchSize = 256

/** Vectors of the texts by the real model, one for each; null for a text without a letter. Kept outside the repository. */
export async function embedOnce(texts: readonly string[]): Promise<(Float32Array | null)[]> {
  const digest = createHash('sha256')
    .update(JSON.stringify([modelName, texts]))
    .digest('hex')
    .slice(0, 24)
  const file = join(cacheFolder, 'vectors', `${digest}.f32`)
  if (!existsSync(file)) {
    const vectors = await embed(texts)
    mkdirSync(join(cacheFolder, 'vectors'), { recursive: true })
    const rows = Float32Array.from(vectors.flatMap((vector) => Array.from(vector ?? new Float32Array(dims))))
    writeFileSync(`${file}.unfinished`, Buffer.from(rows.buffer))
    renameSync(`${file}.unfinished`, file)
  }
  const { buffer } = Uint8Array.from(readFileSync(file))
  return texts.map((_, i) => {
    const row = new Float32Array(buffer, i * dims * 4, dims)
    return row.some((value) => value !== 0) ? row : null
  })
}

async function embed(texts: readonly string[]): Promise<(Float32Array | null)[]> {
  const local = await localModels({
    INFERENCE: 'onnx',
    MODELS_DIR: findModel(),
    EMBED_MODEL: modelName,
    INFERENCE_TIMEOUT_MS: '60000',
  })
  try {
    const vectors: (Float32Array | null)[] = []
    for (let i = 0; i < texts.length; i += batchSize) {
      // As a query: a caller sends one vector, of the text as a whole.
      vectors.push(...(await local.models.inference.embed('text', texts.slice(i, i + batchSize), 'query')))
    }
    return vectors
  } finally {
    await local.close()
  }
}
