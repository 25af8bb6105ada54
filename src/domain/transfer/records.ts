import { z } from 'zod'
import { sourceBytes, sourceText, TransferRefusedError } from '../../model/transfer.ts'
import { toUnitVector } from '../../model/unit-vector.ts'

/** A record of a file. */
export interface FileRecord {
  kind: string
  /** The fields, as JSON text from the file. */
  json: string
}

export type PieceKind = typeof sourceBytes | typeof sourceText

export interface SourcePiece {
  kind: PieceKind
  namespaceId: string
  id: string
  bytes: Buffer
}

const record = z.record(z.string(), z.record(z.string(), z.unknown()))
const piece = z.strictObject({ namespace_id: z.string(), id: z.string(), data: z.base64() })

/** Throws `TransferRefusedError` for text that is not a record of a known kind with exactly the fields of that kind. */
export function parseRecord(line: string, at: number, kinds: ReadonlyMap<string, readonly string[]>): FileRecord {
  const refused = () => new TransferRefusedError(`line ${at} is not a record of a namespace`)
  const [only, ...others] = Object.entries(record.safeParse(jsonOf(line)).data ?? {})
  if (!only || others.length > 0) throw refused()
  const [kind, fields] = only
  const expected = isPiece(kind) ? ['namespace_id', 'id', 'data'] : kinds.get(kind)
  const found = Object.keys(fields)
  if (expected?.length !== found.length || !expected.every((field, i) => field === found[i])) throw refused()
  // Requires the exact form that export writes, so that the text after the prefix is the value.
  const prefix = `{"${kind}":`
  if (!line.startsWith(prefix)) throw refused()
  return { kind, json: line.slice(prefix.length, -1) }
}

export const isPiece = (kind: string): kind is PieceKind => kind === sourceBytes || kind === sourceText

export function parsePiece(kind: PieceKind, json: string): SourcePiece {
  const { data } = piece.safeParse(jsonOf(json))
  if (!data) throw new TransferRefusedError('the bytes of a source cannot be read')
  return { kind, namespaceId: data.namespace_id, id: data.id, bytes: Buffer.from(data.data, 'base64') }
}

const vectorRecord = z.object({ vector: z.base64() })

/**
 * A record of a vector, scaled as an ingest scales it: older services kept it as it was sent. Throws
 * `TransferRefusedError` for one that no index could hold.
 */
export function withUnitVector(json: string, at: number): string {
  const { data } = vectorRecord.loose().safeParse(jsonOf(json))
  const bytes = Uint8Array.from(Buffer.from(data?.vector ?? '', 'base64'))
  const values = bytes.length % 4 === 0 ? new Float32Array(bytes.buffer) : new Float32Array(0)
  if (values.length === 0 || !values.every(Number.isFinite))
    throw new TransferRefusedError(`line ${at} is not a vector of finite float32 values`)
  // One of zeros, which older services took, stays: its cosine is 0.
  const { buffer } = toUnitVector(values) ?? values
  return JSON.stringify({ ...data, vector: Buffer.from(buffer).toString('base64') })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
