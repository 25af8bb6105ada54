import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { ask } from '../program/graphql.ts'
import type { Service } from '../program/service.ts'

const line = z
  .strictObject({
    q: z.string(),
    scope: z.string().optional(),
    expected_unit_ids: z.array(z.string()).optional(),
    expected_external_ids: z.array(z.string()).optional(),
    expected_answers: z.array(z.string()).optional(),
  })
  .transform(({ q, scope, ...expected }) => ({
    q,
    scope,
    expectedUnitIds: expected.expected_unit_ids,
    expectedExternalIds: expected.expected_external_ids,
    expectedAnswers: expected.expected_answers,
  }))

type GoldenLine = z.output<typeof line>

/** The golden queries of a file, without blank lines. Throws an error that names the invalid line. */
export async function readGoldenFile(file: string): Promise<GoldenLine[]> {
  const lines = (await readFile(file, 'utf8')).split('\n')
  const queries = lines.flatMap((text, i) => (text.trim() === '' ? [] : [parseLine(text, `${file}:${i + 1}`)]))
  if (queries.length === 0) throw new Error(`${file} holds no golden query`)
  return queries
}

function parseLine(text: string, place: string): GoldenLine {
  const parsed = line.safeParse(parseJson(text, place))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Error(`${place}: ${[...(issue?.path ?? []), issue?.message].join(': ')}`)
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${place}: not JSON`)
  }
}

const written = z.object({ createGoldenQueries: z.object({ ids: z.array(z.string()) }) })
const batchSize = 100

/** Writes golden queries; returns their ids. */
export async function upload(service: Service, queries: readonly GoldenLine[]): Promise<string[]> {
  const ids: string[] = []
  for (let from = 0; from < queries.length; from += batchSize) {
    const { createGoldenQueries } = await ask(
      service,
      written,
      'mutation ($queries: [GoldenQueryInput!]!) { createGoldenQueries(queries: $queries) { ids } }',
      { queries: queries.slice(from, from + batchSize) },
    )
    ids.push(...createGoldenQueries.ids)
  }
  return ids
}

const page = z.object({
  goldenQueries: z.object({ queries: z.array(z.object({ id: z.string() })), nextCursor: z.number().nullable() }),
})

/** Deletes the golden queries that are not in this list. */
export async function deleteOthers(service: Service, kept: readonly string[]): Promise<void> {
  const others: string[] = []
  for (let cursor: number | null = 0; cursor !== null; ) {
    const answer: z.output<typeof page> = await ask(
      service,
      page,
      'query ($cursor: SafeInt) { goldenQueries(cursor: $cursor) { queries { id } nextCursor } }',
      { cursor },
    )
    others.push(...answer.goldenQueries.queries.map(({ id }) => id).filter((id) => !kept.includes(id)))
    cursor = answer.goldenQueries.nextCursor
  }
  if (others.length === 0) return
  const query = 'mutation ($ids: [String!]!) { deleteGoldenQueries(ids: $ids) { deleted } }'
  await ask(service, z.object({ deleteGoldenQueries: z.object({ deleted: z.number() }) }), query, { ids: others })
}
