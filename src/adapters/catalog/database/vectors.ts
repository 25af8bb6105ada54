/** Vectors are stored as little-endian float32 bytes: the byte order of every platform that Node supports. */
export function toBytes(values: Float32Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new Float32Array(values).buffer)
}

export function toFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer)
}
