import type { Pooling } from './messages.ts'
import type { Tensor } from './transformers.ts'

/** One vector for each text of a batch, from its token vectors (texts × tokens × dims); padding does not count. */
export function pool({ data, dims }: Tensor, { data: mask }: Tensor, pooling: Pooling): Float32Array[] {
  const [texts = 0, length = 0, width = 0] = dims
  return Array.from({ length: texts }, (_, text) => {
    const tokens = Array.from({ length }, (_, i) => text * length + i).filter((token) => Number(mask[token]) > 0)
    const used = pooling === 'mean' ? tokens : pooling === 'cls' ? tokens.slice(0, 1) : tokens.slice(-1)
    const vector = new Float32Array(width)
    for (const token of used) {
      for (let d = 0; d < width; d++) vector[d] = (vector[d] ?? 0) + Number(data[token * width + d]) / used.length
    }
    return vector
  })
}

/** The rows of a matrix. */
export function rowsOf({ data, dims }: Tensor): Float32Array[] {
  const [rows = 0, width = 0] = dims
  return Array.from({ length: rows }, (_, row) =>
    Float32Array.from({ length: width }, (_, i) => Number(data[row * width + i])),
  )
}
