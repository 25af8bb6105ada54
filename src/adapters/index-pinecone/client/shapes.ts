import { z } from 'zod'

/** Answers that name their namespace; the name may be empty if there is no such namespace. */
const ofNamespace = (namespace: string) => ({ namespace: z.union([z.literal(namespace), z.literal('')]) })

export const upserted = (count: number) => z.object({ upsertedCount: z.literal(count) })

export const deleted = z.object({})

export const matches = (namespace: string) =>
  z.object({
    ...ofNamespace(namespace),
    // Rounding may move a cosine slightly beyond 1.
    matches: z.array(z.object({ id: z.string().min(1), score: z.number().min(-1.001).max(1.001) })),
  })

export const listed = (namespace: string) =>
  z.object({
    ...ofNamespace(namespace),
    vectors: z.array(z.object({ id: z.string().min(1) })).default([]),
    pagination: z.object({ next: z.string().min(1) }).optional(),
  })

export const fetched = (namespace: string) =>
  z.object({
    ...ofNamespace(namespace),
    vectors: z.record(z.string(), z.object({ metadata: z.record(z.string(), z.unknown()).default({}) })).default({}),
  })
