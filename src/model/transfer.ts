import { z } from 'zod'
import { parseJson } from './json.ts'
import { OperatorError } from './operator-error.ts'

/**
 * The file format of exported namespaces: UTF-8 lines of JSON, optionally gzipped. A header comes first. Then come
 * records `{<table>: {<column>: value, …}}`, bytes in base64; each record comes after the records that it refers to.
 * After a `source` record that has bytes come its `{source_bytes: {namespace_id, id, data}}` records, and `source_text`
 * records of the same form where its text is not the file itself. The last line is an end with counts and the SHA-256 of
 * every byte before it.
 */
export const transferFormat = 'multimodal-retrieval namespaces'

/** Increase it with every change of what the records contain. */
export const transferVersion = 11

/** The oldest supported version. */
const oldestVersion = 1

/** Fields added by a version of the format, by kind. Files of older versions do not have them, so they may be null. */
const fieldsSince: Readonly<Record<number, Readonly<Record<string, readonly string[]>>>> = {
  2: { grant: ['expires_at'] },
  3: {
    unit: ['title', 'document_id', 'source_by_writer'],
    source: ['name', 'type', 'charset', 'uploaded_with', 'by_link', 'unnamed_since'],
  },
  4: { ingested_document: ['text_due_at'] },
  5: { unit: ['language'] },
  6: { namespace: ['hidden_count'] },
  10: { namespace: ['synonyms_version'] },
  11: { query_count: ['text_change', 'visual_change', 'audio_change', 'doc_visual_change', 'bytes_change'] },
}

/** The fields of a record of this kind in a file of that version. */
export function fieldsIn(version: number, kind: string, fields: readonly string[]): readonly string[] {
  const later = Object.entries(fieldsSince).filter(([since]) => Number(since) > version)
  const lacking = later.flatMap(([, kinds]) => kinds[kind] ?? [])
  return fields.filter((field) => !lacking.includes(field))
}

/** The kind of the records with the bytes of uploaded sources. */
export const sourceBytes = 'source_bytes'

/** The kind of the records with the extracted text of sources, in UTF-8. */
export const sourceText = 'source_text'

const header = z.strictObject({
  format: z.string(),
  /** The version of the format. */
  version: z.int(),
  /** The version of the service that wrote it. */
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

/** The number of records of each kind. */
export type TransferCounts = Readonly<Record<string, number>>

/** The file cannot be imported, because of the file or of the target. Nothing was changed. */
export class TransferRefusedError extends OperatorError {
  override readonly name = 'TransferRefusedError'
}

/** Throws `TransferRefusedError` for a line that is not the header of a file that this version can read. */
export function parseHeader(line: string): TransferHeader {
  const found = z.looseObject({ format: z.literal(transferFormat), version: z.int() }).safeParse(parseJson(line)).data
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
  line.startsWith('{"end":') ? (end.safeParse(parseJson(line)).data?.end ?? null) : null
