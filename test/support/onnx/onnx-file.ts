/** Writes ONNX files (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), as far as small models need it. */

export type Shape = readonly (number | string)[]

export interface Tensor {
  /** A name in place of a number makes a dimension dynamic. */
  shape: Shape
  type: 'float' | 'int64'
}

export interface Graph {
  inputs: Record<string, Tensor>
  outputs: Record<string, Tensor>
  weights: Record<string, { shape: readonly number[]; values: ArrayLike<number>; type?: Tensor['type'] }>
  /** In execution order. */
  nodes: readonly Node[]
}

export interface Attributes {
  /** Not negative. */
  ints?: Record<string, number>
  floats?: Record<string, number>
  lists?: Record<string, readonly number[]>
}

export interface Node extends Attributes {
  op: string
  inputs: readonly string[]
  output: string
}

const types = { float: 1, int64: 7 } as const

/** A ModelProto. */
export function onnxFile({ inputs, outputs, weights, nodes }: Graph): Buffer {
  const graph = [
    ...nodes.map(nodeProto),
    string(2, 'graph'),
    ...Object.entries(weights).map(([name, weight]) => tensorProto(name, weight)),
    ...Object.entries(inputs).map(([name, tensor]) => valueInfo(11, name, tensor)),
    ...Object.entries(outputs).map(([name, tensor]) => valueInfo(12, name, tensor)),
  ]
  const opset = message(8, [string(1, ''), varint(2, 17)])
  return Buffer.concat([varint(1, 8), message(7, graph), opset])
}

const nodeProto = ({ op, inputs, output, ints = {}, floats = {}, lists = {} }: Node) =>
  message(1, [
    ...inputs.map((name) => string(1, name)),
    string(2, output),
    string(4, op),
    ...attributes(ints, 2, (value) => [varint(3, value)]),
    ...attributes(floats, 1, (value) => [float(2, value)]),
    ...attributes(lists, 7, (values) => values.map((value) => varint(8, value))),
  ])

const attributes = <T>(values: Record<string, T>, type: number, encode: (value: T) => Buffer[]) =>
  Object.entries(values).map(([name, value]) => message(5, [string(1, name), ...encode(value), varint(20, type)]))

function tensorProto(name: string, { shape, values, type = 'float' }: Graph['weights'][string]): Buffer {
  const array = type === 'float' ? Float32Array.from(values) : BigInt64Array.from(Array.from(values), BigInt)
  const raw = Buffer.from(array.buffer)
  return message(5, [...shape.map((size) => varint(1, size)), varint(2, types[type]), string(8, name), bytes(9, raw)])
}

function valueInfo(field: number, name: string, { shape, type }: Tensor): Buffer {
  const dims = shape.map((dim) => message(1, [typeof dim === 'number' ? varint(1, dim) : string(2, dim)]))
  return message(field, [string(1, name), message(2, [message(1, [varint(1, types[type]), message(2, dims)])])])
}

// Protocol Buffers' wire format: https://protobuf.dev/programming-guides/encoding/

function base128(value: number): Buffer {
  const groups: number[] = []
  for (let rest = value; groups.length === 0 || rest > 0; rest = Math.floor(rest / 128)) {
    groups.push((rest % 128) | (rest >= 128 ? 128 : 0))
  }
  return Buffer.from(groups)
}

const varint = (field: number, value: number) => Buffer.concat([base128(field * 8), base128(value)])
const float = (field: number, value: number) =>
  Buffer.concat([base128(field * 8 + 5), Buffer.from(Float32Array.of(value).buffer)])
const bytes = (field: number, value: Buffer) => Buffer.concat([base128(field * 8 + 2), base128(value.length), value])
const string = (field: number, value: string) => bytes(field, Buffer.from(value))
const message = (field: number, parts: readonly Buffer[]) => bytes(field, Buffer.concat(parts))
