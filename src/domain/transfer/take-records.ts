import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { z } from 'zod'
import { parseJson } from '../../model/json.ts'
import { fieldsIn, sourceBytes, sourceText, type TransferCounts, TransferRefusedError } from '../../model/transfer.ts'
import { toUnitVector } from '../../model/unit.ts'
import type { TransferWriter } from '../../ports/catalog.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { sourceKey, textKey } from '../sources/purge-sources.ts'

/** A record of a file. */
interface FileRecord {
  kind: string
  /** The fields, as JSON text from the file. */
  json: string
}

type PieceKind = typeof sourceBytes | typeof sourceText

interface SourcePiece {
  kind: PieceKind
  namespaceId: string
  id: string
  bytes: Buffer
}

const record = z.record(z.string(), z.record(z.string(), z.unknown()))
const piece = z.strictObject({ namespace_id: z.string(), id: z.string(), data: z.base64() })

/** Throws `TransferRefusedError` for text that is not a record of a known kind with exactly the fields of that kind. */
function parseRecord(line: string, at: number, kinds: ReadonlyMap<string, readonly string[]>): FileRecord {
  const refused = () => new TransferRefusedError(`line ${at} is not a record of a namespace`)
  const [only, ...others] = Object.entries(record.safeParse(parseJson(line)).data ?? {})
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

const isPiece = (kind: string): kind is PieceKind => kind === sourceBytes || kind === sourceText

function parsePiece(kind: PieceKind, json: string): SourcePiece {
  const { data } = piece.safeParse(parseJson(json))
  if (!data) throw new TransferRefusedError('the bytes of a source cannot be read')
  return { kind, namespaceId: data.namespace_id, id: data.id, bytes: Buffer.from(data.data, 'base64') }
}

const vectorRecord = z.object({ vector: z.base64() })

/**
 * A record of a vector, scaled as an ingest scales it: older services kept it as it was sent. Several vectors of a text
 * are scaled together: only their directions count. Throws
 * `TransferRefusedError` for one that no index could hold.
 */
function withUnitVector(json: string, at: number): string {
  const { data } = vectorRecord.loose().safeParse(parseJson(json))
  const bytes = Uint8Array.from(Buffer.from(data?.vector ?? '', 'base64'))
  const values = bytes.length % 4 === 0 ? new Float32Array(bytes.buffer) : new Float32Array(0)
  if (values.length === 0 || !values.every(Number.isFinite))
    throw new TransferRefusedError(`line ${at} is not a vector of finite float32 values`)
  // One of zeros, which older services took, stays: its cosine is 0.
  const { buffer } = toUnitVector(values) ?? values
  return JSON.stringify({ ...data, vector: Buffer.from(buffer).toString('base64') })
}

type Deps = Pick<Bindings, 'catalog' | 'objects'>

/** Records per insert: this number, or fewer if together they reach this length. */
const batchRecords = 500
const batchLength = 2 ** 20

/**
 * Takes the lines of records one by one and inserts them in batches, one kind at a time. `version` is that of the file.
 * Adds the keys of stored bytes to `stored`.
 */
export function createRecordTaker(deps: Deps, tx: TransferWriter, version: number, stored: string[]) {
  const known = [...deps.catalog.transfer.kinds]
  const kinds = new Map(known.map(([kind, fields]) => [kind, fieldsIn(version, kind, fields)]))
  const order = [...kinds.keys()]
  const sources = createSourceTaker(deps, tx, stored)
  const leftOut: Record<string, number> = {}
  let batch: string[] = []
  let length = 0
  let kind = order[0] ?? ''

  const flush = async () => {
    const records = batch
    batch = []
    length = 0
    await sources.end()
    if (records.length === 0) return
    const missing = await tx.insert(kind, records)
    if (missing > 0) leftOut[kind] = (leftOut[kind] ?? 0) + missing
  }

  return {
    take: async (line: string, at: number) => {
      const record = parseRecord(line, at, kinds)
      if (isPiece(record.kind)) {
        if (batch.length > 0) await flush()
        await sources.take(parsePiece(record.kind, record.json))
        return
      }
      if (order.indexOf(record.kind) < order.indexOf(kind)) {
        throw new TransferRefusedError(`line ${at} is not where its kind belongs`)
      }
      if (record.kind !== kind || batch.length === batchRecords || length > batchLength) await flush()
      kind = record.kind
      const json = kind === 'unit_vector' ? withUnitVector(record.json, at) : record.json
      batch.push(json)
      length += json.length
    },
    end: async (): Promise<TransferCounts> => {
      await flush()
      return leftOut
    },
    /** Ends what is being stored. */
    abandon: () => sources.abandon(),
  }
}

/** An object that is being stored. */
interface Open {
  first: SourcePiece
  take(bytes: Buffer): Promise<void>
  end(): Promise<void>
  abandon(): Promise<void>
}

/**
 * Puts the bytes and texts of sources into the object store, piece by piece, one after another. They may be stored before
 * the records: without records nobody can access them. Adds their keys to `stored`.
 */
function createSourceTaker(deps: Deps, tx: TransferWriter, stored: string[]) {
  let open: Open | null = null

  const end = async () => {
    const done = open
    open = null
    await done?.end()
  }

  return {
    take: async (piece: SourcePiece) => {
      if (open && !isSame(open.first, piece)) await end()
      open ??= await begin(deps, tx, piece, stored)
      await open.take(piece.bytes)
    },
    /** The current object has no more pieces. */
    end,
    abandon: async () => {
      await open?.abandon()
      open = null
    },
  }
}

const isSame = (a: SourcePiece, b: SourcePiece) => a.kind === b.kind && a.namespaceId === b.namespaceId && a.id === b.id

async function begin({ objects }: Deps, tx: TransferWriter, first: SourcePiece, stored: string[]): Promise<Open> {
  const { kind, namespaceId, id } = first
  const source = await tx.source(namespaceId, id)
  if (!source) throw otherBytes()
  const key = (kind === sourceBytes ? sourceKey : textKey)(namespaceId, id)
  stored.push(key)
  return kind === sourceBytes
    ? streamed(objects, key, source, first)
    : collected((bytes) => objects.put(key, bytes), first)
}

/** A text has at most 64 MiB characters, and its length is not known before its end. */
function collected(put: (bytes: Buffer) => Promise<void>, first: SourcePiece): Open {
  const pieces: Buffer[] = []
  return {
    first,
    take: async (bytes) => void pieces.push(bytes),
    end: () => put(Buffer.concat(pieces)),
    abandon: async () => {},
  }
}

function streamed(
  objects: Bindings['objects'],
  key: string,
  source: { sha256: string; bytes: number },
  first: SourcePiece,
): Open {
  const stream = new PassThrough()
  const digest: Hash = createHash('sha256')
  let taken = 0
  let failure: unknown
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const put = objects.putStream(key, stream, source.bytes).catch((error: unknown) => {
    failure = error
    failed.reject(error)
  })
  // A stream that is destroyed says so to its reader, which is `put`.
  stream.on('error', () => {})
  const abandon = async () => {
    stream.destroy(otherBytes())
    await put
  }
  return {
    first,
    abandon,
    take: async (bytes) => {
      taken += bytes.length
      if (taken > source.bytes) throw otherBytes()
      digest.update(bytes)
      if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), failed.promise])
    },
    end: async () => {
      if (taken !== source.bytes || digest.digest('hex') !== source.sha256) {
        await abandon()
        throw otherBytes()
      }
      stream.end()
      await put
      if (failure !== undefined) throw failure
    },
  }
}

const otherBytes = () => new TransferRefusedError('the bytes of a source are not those that its record names')
