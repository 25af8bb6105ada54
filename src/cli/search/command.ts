import { z } from 'zod'
import { RefusedError } from '../../model/operator-error.ts'
import { planes as allPlanes } from '../../model/unit.ts'
import { type Command, type Environment, flag, readWords, text, UsageError } from '../program/command.ts'
import { headersOf, post, readService, serviceFlags } from '../program/service.ts'

const exitCodes = { done: 0, refused: 1, failed: 2 } as const

/** `search QUERY`, and `ask QUESTION`, which is an answer in any case. */
const commandOf = (name: 'search' | 'ask', path: string): Command => ({
  name,
  run: async (args, env) => {
    const { service, body, json } = await readOptions(name, args, env)
    const response = await post(service.url, path, found, {
      headers: { ...headersOf(service), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const columns = process.stdout.isTTY ? process.stdout.columns : null
    console.log(json ? JSON.stringify(response) : report(name, found.parse(response), columns))
    return exitCodes.done
  },
  codeOf: (error) => (error instanceof RefusedError ? exitCodes.refused : exitCodes.failed),
})

export const search = commandOf('search', '/v1/search')
export const ask = commandOf('ask', '/v1/answer')

/** Throws an error that says what is wrong with the command line. */
async function readOptions(name: 'search' | 'ask', args: readonly string[], env: Environment) {
  const { values, positionals } = readWords(args, {
    ...{ ...serviceFlags, 'top-k': text, planes: text, rerank: flag, json: flag },
    ...(name === 'search' && { answer: flag }),
  })
  const [q, ...others] = positionals
  const word = name === 'search' ? 'QUERY' : 'QUESTION'
  if (q === undefined) throw new UsageError(`a ${word} is needed; try --help`)
  if (others.length > 0)
    throw new UsageError(`one ${word} is allowed, not ${JSON.stringify(others[0])} as well: quote it`)
  const { rerank, answer, json = false, planes, 'top-k': topK } = values
  return {
    /** The body of `POST /v1/search`. */
    body: {
      q,
      ...(topK !== undefined && { top_k: readTopK(topK) }),
      ...(planes !== undefined && { planes: planes.split(',').map(readPlane) }),
      ...(rerank && { rerank }),
      ...(answer && { answer: true }),
    },
    json,
    service: await readService(values, env),
  }
}

const maxTopK = 50

function readTopK(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0
  if (value < 1 || value > maxTopK) throw new UsageError(`--top-k takes a number from 1 to ${maxTopK}`)
  return value
}

function readPlane(text: string): string {
  const plane = allPlanes.find((one) => one === text.trim())
  if (plane === undefined) throw new UsageError(`--planes takes a list of ${allPlanes.join(', ')}`)
  return plane
}

/** The parts of a search's response that the terminal shows. */
const found = z.object({
  hits: z.array(
    z.object({
      rank: z.number(),
      score: z.number(),
      plane: z.string(),
      unit_id: z.string(),
      external_id: z.string().nullish(),
      doc_id: z.string().nullish(),
      text: z.string().nullable(),
    }),
  ),
  answer: z
    .object({
      text: z.string(),
      citations: z.array(z.object({ marker: z.number(), unit_id: z.string(), quote: z.string() })),
    })
    .nullable(),
})

/**
 * The answer, if there is one, with a line per citation, and a line per hit, each by the name that its writer gave it; `ask` has
 * hits only where nothing answers.
 * `columns`: how wide the terminal is, null where the lines go elsewhere.
 */
function report(name: 'search' | 'ask', { hits, answer }: z.output<typeof found>, columns: number | null): string {
  const citations = answer?.citations ?? []
  const named = new Map(
    hits.map((hit) => [hit.unit_id, beginning(hit.external_id || hit.doc_id || hit.unit_id, maxName)]),
  )
  const nameOf = (id: string) => named.get(id) ?? id
  const cited = citations.map(({ marker, unit_id, quote }) => lineOf(`[${marker}] ${nameOf(unit_id)}`, quote, columns))
  const listed = hits.map(({ rank, score, plane, unit_id, text }) =>
    lineOf(
      `${String(rank).padStart(2)} ${score.toFixed(3)} ${plane.padEnd(10)} ${nameOf(unit_id)}`,
      text ?? '',
      columns,
    ),
  )
  const parts = [
    answer === null ? [] : [printable(answer.text)],
    cited,
    name === 'ask' && cited.length > 0 ? [] : listed.length > 0 ? listed : ['no hits'],
  ]
  return parts.flatMap((lines) => (lines.length === 0 ? [] : [lines.join('\n')])).join('\n\n')
}

const maxText = 100
/** A line of a hit fits into 60 columns with it. */
const maxName = 36

/** On a terminal that is too narrow for both, the text has a line of its own. */
function lineOf(head: string, text: string, columns: number | null): string {
  const beside = `${head}  ${beginning(text, maxText)}`.trimEnd()
  if (columns === null || beside.length <= columns) return beside
  return `${head}\n   ${beginning(text, Math.max(columns - 4, 20))}`
}

function beginning(text: string, max: number): string {
  const line = printable(text.slice(0, 4 * max))
  return line.length > max ? `${line.slice(0, max - 1)}…` : line
}

/** On one line, and without what would control a terminal or turn the direction of its text. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
