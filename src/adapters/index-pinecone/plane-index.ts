import { z } from 'zod'
import { type Plane, planes } from '../../model/unit.ts'
import { failure, malformed } from './client.ts'

/** One of the indexes in Pinecone. */
export interface PlaneIndex {
  name: string
  plane: Plane
  dims: number
  host: string
  ready: boolean
  tags: Readonly<Record<string, string>>
}

/** The vector field of an index that is used through the vectors API. */
export const vectorField = '_values'

/** The tags of an index. */
export const tag = {
  /** Random, set once: distinguishes the index from a later one of the same name. */
  made: 'made',
  /** Marks the index that lists the others. */
  register: 'register',
} as const

const indexModel = z.object({
  name: z.string(),
  host: z.string(),
  status: z.object({ ready: z.boolean() }),
  schema: z.object({ fields: z.record(z.string(), z.looseObject({ type: z.string() })) }),
  tags: z.record(z.string(), z.string()).nullish(),
})

export const indexList = z.object({ indexes: z.array(z.unknown()) })
const named = z.looseObject({ name: z.string() })
const denseField = z.object({ dimension: z.number(), metric: z.literal('cosine') })

/** The service's own indexes among those of a project. Throws if one of them does not match its name. */
export function ownIndexes(prefix: string, listed: z.infer<typeof indexList>): PlaneIndex[] {
  return listed.indexes.flatMap((entry) => {
    const name = named.safeParse(entry).data?.name ?? ''
    const told = readName(prefix, name)
    if (told === null) return []
    const model = indexModel.safeParse(entry).data
    if (!model) throw malformed(`answered in no known shape of the index ${name}`)
    const { host, status, schema, tags } = model
    const dense = Object.values(schema.fields).filter(({ type }) => type === 'dense_vector')
    if (dense.some((field) => denseField.safeParse(field).data?.dimension !== told.dims)) {
      throw failure(
        'refused',
        `holds an index ${name} that does not have ${told.dims} dimensions and cosine similarity`,
      )
    }
    return [{ name, ...told, host, ready: status.ready && host !== '', tags: tags ?? {} }]
  })
}

/** Index sizes for vectors that do not have the plane's configured size: few, because projects limit indexes. */
const rungs = [1024, 4096, 16_384] as const

/**
 * The size of the index for vectors that have no index of their own size: the next larger rung. They are padded with
 * zeros, which changes no cosine.
 */
export function rungOf(dims: number): number {
  const rung = rungs.find((size) => size >= dims)
  if (rung === undefined) throw new RangeError(`no index takes vectors of ${dims} dimensions`)
  return rung
}

const nameOfPlane = (plane: Plane) => plane.replace('_', '-')

/** `svc-text-512`. Lower-case letters, digits and hyphens, 45 characters at most. */
export const indexName = (prefix: string, plane: Plane, dims: number): string =>
  `${prefix}-${nameOfPlane(plane)}-${dims}`

/** The plane and size in a name; null for other indexes. */
function readName(prefix: string, name: string): { plane: Plane; dims: number } | null {
  if (!name.startsWith(`${prefix}-`)) return null
  const [, planeName, dims] = /^([a-z-]+)-(\d{1,5})$/u.exec(name.slice(prefix.length + 1)) ?? []
  const plane = planes.find((known) => nameOfPlane(known) === planeName)
  return plane === undefined ? null : { plane, dims: Number(dims) }
}

const ofSize = (indexes: readonly PlaneIndex[], plane: Plane, dims: number) =>
  indexes.find((index) => index.plane === plane && index.dims === dims)

/** The index that takes a plane's vectors of a size: of exactly that size, or of the next rung; null for neither. */
export const placeOf = (indexes: readonly PlaneIndex[], plane: Plane, dims: number): PlaneIndex | null =>
  ofSize(indexes, plane, dims) ?? ofSize(indexes, plane, rungOf(dims)) ?? null

/** All indexes that may hold vectors of a size: the exact size may have been made when the next rung held some. */
export const placesOf = (indexes: readonly PlaneIndex[], plane: Plane, dims: number): PlaneIndex[] =>
  [...new Set([dims, rungOf(dims)])].flatMap((size) => ofSize(indexes, plane, size) ?? [])
