import { batchesOf } from './batches.ts'
import type { Input, ModelSpec } from './messages.ts'
import type { Runner, RunOptions } from './runner.ts'
import { OnnxError } from './worker.ts'

/** A model that is loaded, and runs. */
export interface LoadedModel {
  /** Numbers in each row. */
  width: number
  /** One row for each input, in order: a vector, or logits. Throws as the runner does, and for rows that hold no numbers. */
  run(inputs: readonly Input[], options: RunOptions): Promise<Float32Array[]>
}

/** Loads a model and lets it read something, so that whatever is wrong with it shows now. */
export async function loadModel(runner: Runner, spec: ModelSpec): Promise<LoadedModel> {
  await runner.load(spec)
  // Of two lengths: one of them is padded.
  const texts = ['a', 'a longer text']
  const samples = texts.map((text): Input => (spec.task === 'embed' ? [text] : [text, text]))
  const [row] = await runner.run(spec.key, samples, { urgent: true })
  const width = row?.length ?? 0
  return {
    width,
    run: async (inputs, options) => {
      const rows: Float32Array[] = []
      // One after the other: others get their turns between them.
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
