import { readFileSync } from 'node:fs'

export interface Weight {
  shape: readonly number[]
  values: Float32Array
}

interface Entry {
  dtype: string
  shape: readonly number[]
  data_offsets: readonly [number, number]
}

/**
 * The float32 tensors of a file by name (https://github.com/huggingface/safetensors#format): the length of a JSON
 * header, the header, the numbers. Other types are left out.
 */
export function readSafetensors(path: string): ReadonlyMap<string, Weight> {
  const file = readFileSync(path)
  const start = 8 + Number(file.readBigUInt64LE(0))
  const header: Record<string, Entry> = JSON.parse(file.toString('utf8', 8, start))
  const weights = new Map<string, Weight>()
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    if (dtype !== 'F32') continue
    const [from, to] = data_offsets
    // A copy: the numbers need not be aligned in the file.
    const numbers = Uint8Array.from(file.subarray(start + from, start + to))
    weights.set(name, { shape, values: new Float32Array(numbers.buffer) })
  }
  return weights
}
