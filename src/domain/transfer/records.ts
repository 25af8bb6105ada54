import { z } from 'zod'
import { sourceBytes, TransferRefusedError } from '../../model/transfer.ts'

/** A record as it stands in a file. */
export interface FileRecord {
  kind: string
  /** The fields, in the text of the file. */
  json: string
}

export interface SourcePiece {
  namespaceId: string
  id: string
  bytes: Buffer
}

const record = z.record(z.string(), z.record(z.string(), z.unknown()))
const piece = z.strictObject({ namespace_id: z.string(), id: z.string(), data: z.base64() })

/** Throws `TransferRefusedError` for what is no record of a known kind with just that kind's fields. */
export function parseRecord(line: string, at: number, kinds: ReadonlyMap<string, readonly string[]>): FileRecord {
  const refused = () => new TransferRefusedError(`line ${at} is not a record of a namespace`)
  const [only, ...others] = Object.entries(record.safeParse(jsonOf(line)).data ?? {})
  if (!only || others.length > 0) throw refused()
  const [kind, fields] = only
  const expected = kind === sourceBytes ? ['namespace_id', 'id', 'data'] : kinds.get(kind)
  const found = Object.keys(fields)
  if (expected?.length !== found.length || !expected.every((field, i) => field === found[i])) throw refused()
  // As it is written here, so that what is cut out is the value.
  const prefix = `{"${kind}":`
  if (!line.startsWith(prefix)) throw refused()
  return { kind, json: line.slice(prefix.length, -1) }
}

export function parsePiece(json: string): SourcePiece {
  const { data } = piece.safeParse(jsonOf(json))
  if (!data) throw new TransferRefusedError('the bytes of a source cannot be read')
  return { namespaceId: data.namespace_id, id: data.id, bytes: Buffer.from(data.data, 'base64') }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
