import { batchesOf } from './batches.ts'
import type { Input, ModelSpec } from './messages.ts'
import type { Runner, RunOptions } from './runner.ts'
import { OnnxError } from './worker.ts'

/** A loaded, running model. */
export interface LoadedModel {
  /** Numbers in each row. */
  width: number
  /** One row for each input, in order: a vector, or logits. Throws as the runner does, and for rows without numbers. */
  run(inputs: readonly Input[], options: RunOptions): Promise<Float32Array[]>
}

/** Loads a model and makes a test run, so that all its errors show now. */
export async function loadModel(runner: Runner, spec: ModelSpec): Promise<LoadedModel> {
  await runner.load(spec)
  // Of different lengths, so that one is padded.
  const texts = ['a', 'a longer text']
  const samples = texts.map((text): Input => (spec.task === 'embed' ? [text] : [text, text]))
  const [row] = await runner.run(spec.key, samples, { urgent: true })
  const width = row?.length ?? 0
  return {
    width,
    run: async (inputs, options) => {
      const rows: Float32Array[] = []
      // One batch after another: other calls get their turns in between.
      for (const batch of batchesOf(inputs, spec.maxTokens)) {
        const texts = batch.map(({ input }) => input)
        const found = await runner.run(spec.key, texts, options)
        for (const [i, { place }] of batch.entries()) rows[place] = sound(found[i], width)
      }
      return rows
    },
  }
}

function sound(row: Float32Array | undefined, width: number): Float32Array {
  if (row?.length !== width || !row.every(Number.isFinite)) throw new OnnxError('run', 'the model gave no numbers')
  return row
}
