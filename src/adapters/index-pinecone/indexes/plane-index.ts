import { z } from 'zod'
import type { Plane } from '../../../model/unit.ts'
import { failure, malformed } from '../client/failure.ts'
import { readName } from './names.ts'

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
