import { z } from 'zod'

/**
 * The file that holds exported namespaces: UTF-8 lines of JSON, perhaps gzipped. First a header, then records
 * `{<table>: {<column>: value, …}}` in an order in which each record finds what it refers to, bytes in base64; behind a
 * `source` record that has bytes, `{source_bytes: {namespace_id, id, data}}`, one after another; last an end with counts
 * and the SHA-256 of every byte before it.
 */
export const transferFormat = 'multimodal-retrieval namespaces'

/** Goes up with every change of what the records hold. */
export const transferVersion = 2

/** The oldest one that is read. */
const oldestVersion = 1

/** Fields that came with a version of the format, by kind. Files of older versions lack them, and they may be null. */
const fieldsSince: Readonly<Record<number, Readonly<Record<string, readonly string[]>>>> = {
  2: { grant: ['expires_at'] },
}

/** The fields that a record of this kind has in a file of that version. */
export function fieldsIn(version: number, kind: string, fields: readonly string[]): readonly string[] {
  const later = Object.entries(fieldsSince).filter(([since]) => Number(since) > version)
  const lacking = later.flatMap(([, kinds]) => kinds[kind] ?? [])
  return fields.filter((field) => !lacking.includes(field))
}

/** The kind of the records that hold the bytes of uploaded sources. */
export const sourceBytes = 'source_bytes'

const header = z.strictObject({
  format: z.string(),
  /** Of the format. */
  version: z.int(),
  /** Version of the service that wrote it. */
  service: z.string(),
  /** Epoch milliseconds. */
  time: z.int(),
  namespaces: z.array(z.strictObject({ id: z.string().min(1), name: z.string().min(1) })).min(1),
})

const count = z.int().min(0)
const end = z.strictObject({
  end: z.strictObject({ records: count, counts: z.record(z.string(), count), sha256: z.string() }),
})

export type TransferHeader = z.output<typeof header>
export type TransferEnd = z.output<typeof end>['end']

/** How many records of each kind. */
export type TransferCounts = Readonly<Record<string, number>>

/** A file, or what it would be brought into, does not let it in. Nothing was changed. */
export class TransferRefusedError extends Error {
  override readonly name = 'TransferRefusedError'
}

/** Throws `TransferRefusedError` for what is not the header of a file that this version reads. */
export function parseHeader(line: string): TransferHeader {
  const found = z.looseObject({ format: z.literal(transferFormat), version: z.int() }).safeParse(jsonOf(line)).data
  if (!found) throw new TransferRefusedError('the file is not an export of namespaces')
  if (found.version < oldestVersion || found.version > transferVersion) {
    throw new TransferRefusedError(
      `the file has version ${found.version} of the format, this service reads ${oldestVersion} to ${transferVersion}`,
    )
  }
  const parsed = header.safeParse(found)
  if (!parsed.success) throw new TransferRefusedError('the header of the file is not whole')
  return parsed.data
}

/** Null for a line that is not the end of a file. */
export const parseEnd = (line: string): TransferEnd | null =>
  line.startsWith('{"end":') ? (end.safeParse(jsonOf(line)).data?.end ?? null) : null

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
