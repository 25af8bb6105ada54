/**
 * Writes ONNX files, as far as the models here need them. Numbers of fields and of types are those of
 * https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3, IR version 10 with operators of set 21.
 */

export type Shape = readonly (number | string)[]

export interface Tensor {
  /** A name in place of a number makes a dimension dynamic. */
  shape: Shape
  type: keyof typeof types
}

/** The values of a constant: numbers, or the bytes of any type in little-endian order. */
export type Weight = { shape: readonly number[] } & (
  | { values: ArrayLike<number>; type?: 'float' | 'int64' }
  | { raw: Uint8Array; type: Tensor['type'] }
)

export interface Graph {
  inputs: Record<string, Tensor>
  outputs: Record<string, Tensor>
  weights: Record<string, Weight>
  /** In execution order. */
  nodes: readonly Node[]
}

export interface Attributes {
  ints?: Record<string, number>
  floats?: Record<string, number>
  lists?: Record<string, readonly number[]>
}

export interface Node extends Attributes {
  op: string
  /** `com.microsoft` for an operator of ONNX Runtime; without it one of ONNX itself. */
  domain?: 'com.microsoft'
  /** An empty name leaves out an optional input. */
  inputs: readonly string[]
  output: string | readonly string[]
}

/** TensorProto.DataType. Two values of `int4` share a byte, the first one in its low half. */
const types = { float: 1, uint8: 2, int32: 6, int64: 7, float16: 10, int4: 22 } as const

/** A ModelProto. */
export function onnxFile({ inputs, outputs, weights, nodes }: Graph): Buffer {
  const graph = [
    ...nodes.map(nodeProto),
    string(2, 'graph'),
    ...Object.entries(weights).map(([name, weight]) => tensorProto(name, weight)),
    ...Object.entries(inputs).map(([name, tensor]) => valueInfo(11, name, tensor)),
    ...Object.entries(outputs).map(([name, tensor]) => valueInfo(12, name, tensor)),
  ]
  const ours = nodes.some(({ domain }) => domain !== undefined)
  const sets = [message(8, [string(1, ''), varint(2, 21)])]
  if (ours) sets.push(message(8, [string(1, 'com.microsoft'), varint(2, 1)]))
  return Buffer.concat([varint(1, 10), message(7, graph), ...sets].flat())
}

const nodeProto = ({ op, domain, inputs, output, ints = {}, floats = {}, lists = {} }: Node) =>
  message(1, [
    ...inputs.map((name) => string(1, name)),
    ...[output].flat().map((name) => string(2, name)),
    string(4, op),
    ...(domain === undefined ? [] : [string(7, domain)]),
    ...attributes(ints, 2, (value) => [varint(3, value)]),
    ...attributes(floats, 1, (value) => [float(2, value)]),
    ...attributes(lists, 7, (values) => values.map((value) => varint(8, value))),
  ])

const attributes = <T>(values: Record<string, T>, type: number, encode: (value: T) => Part[]) =>
  Object.entries(values).map(([name, value]) => message(5, [string(1, name), ...encode(value), varint(20, type)]))

function tensorProto(name: string, weight: Weight): Part {
  const { shape, type = 'float' } = weight
  const raw = 'raw' in weight ? weight.raw : bytesOf(weight.values, type)
  return message(5, [...shape.map((size) => varint(1, size)), varint(2, types[type]), string(8, name), bytes(9, raw)])
}

function bytesOf(values: ArrayLike<number>, type: Tensor['type']): Uint8Array {
  const array = type === 'int64' ? BigInt64Array.from(Array.from(values), BigInt) : Float32Array.from(values)
  return new Uint8Array(array.buffer)
}

function valueInfo(field: number, name: string, { shape, type }: Tensor): Part {
  const dims = shape.map((dim) => message(1, [typeof dim === 'number' ? varint(1, dim) : string(2, dim)]))
  return message(field, [string(1, name), message(2, [message(1, [varint(1, types[type]), message(2, dims)])])])
}

/** A value of the metadata of an ONNX file; null if it has none of this name, or is not an ONNX file. */
export function metadataOf(file: Buffer, name: string): string | null {
  for (const [field, entry] of fieldsOf(file)) {
    if (field !== 14) continue
    const parts = new Map(fieldsOf(entry))
    if (parts.get(1)?.toString() === name) return parts.get(2)?.toString() ?? null
  }
  return null
}

// Protocol Buffers' wire format: https://protobuf.dev/programming-guides/encoding/

/** The pieces of a field. They are put together once, at the end: weights are large. */
type Part = Buffer[]

function base128(value: number): Buffer {
  const groups: number[] = []
  for (let rest = BigInt.asUintN(64, BigInt(value)); groups.length === 0 || rest > 0n; rest >>= 7n) {
    groups.push(Number(rest & 127n) | (rest >= 128n ? 128 : 0))
  }
  return Buffer.from(groups)
}

const varint = (field: number, value: number): Part => [base128(field * 8), base128(value)]
const float = (field: number, value: number): Part => [
  base128(field * 8 + 5),
  Buffer.from(Float32Array.of(value).buffer),
]
const bytes = (field: number, value: Uint8Array): Part => [
  base128(field * 8 + 2),
  base128(value.length),
  Buffer.from(value.buffer, value.byteOffset, value.length),
]
const string = (field: number, value: string): Part => bytes(field, Buffer.from(value))
function message(field: number, parts: readonly Part[]): Part {
  const inner = parts.flat()
  const length = inner.reduce((sum, { length }) => sum + length, 0)
  return [base128(field * 8 + 2), base128(length), ...inner]
}

/** The fields of a message that are messages, texts or bytes, as far as it can be read. */
function fieldsOf(file: Buffer): [field: number, content: Buffer][] {
  const fields: [number, Buffer][] = []
  let at = 0
  const next = () => {
    let value = 0
    for (let scale = 1; at < file.length; scale *= 128) {
      const byte = file[at++] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) break
    }
    return value
  }
  while (at < file.length) {
    const key = next()
    const kind = key % 8
    if (kind === 2) {
      const length = next()
      fields.push([Math.floor(key / 8), file.subarray(at, at + length)])
      at += length
    } else if (kind === 0) next()
    else at += kind === 1 ? 8 : kind === 5 ? 4 : Number.POSITIVE_INFINITY
  }
  return fields
}
