import { z } from 'zod'
import { RefusedError } from '../../model/operator-error.ts'
import { planes as allPlanes } from '../../model/unit.ts'
import { type Command, readFlags, UsageError } from '../program/command.ts'
import { headersOf, post, readService, type Service, serviceFlags } from '../program/service.ts'

const exitCodes = { done: 0, refused: 1, failed: 2 } as const

async function main(args: readonly string[], env: Record<string, string | undefined>): Promise<number> {
  const options = await readOptions(args, env)
  const response = await request(options)
  console.log(options.json ? JSON.stringify(response) : report(found.parse(response)))
  return exitCodes.done
}

/** The response of `POST /v1/search`. */
const request = ({ service, body }: Options): Promise<unknown> =>
  post(service.url, '/v1/search', found, {
    headers: { ...headersOf(service), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

export const command: Command = {
  name: 'search',
  run: main,
  codeOf: (error) => (error instanceof RefusedError ? exitCodes.refused : exitCodes.failed),
}

interface Options {
  service: Service
  /** The body of `POST /v1/search`. */
  body: { q: string; top_k?: number; planes?: string[]; rerank?: true; answer?: true }
  json: boolean
}

/** Throws an error that says what is wrong with the command line. */
async function readOptions(args: readonly string[], env: Record<string, string | undefined>): Promise<Options> {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values, positionals } = readFlags({
    args: [...args],
    allowPositionals: true,
    options: { ...serviceFlags, 'top-k': text, planes: text, rerank: flag, answer: flag, json: flag },
  })
  const [q, ...others] = positionals
  if (q === undefined) throw new UsageError('a QUERY is needed; try --help')
  if (others.length > 0)
    throw new UsageError(`one QUERY is allowed, not ${JSON.stringify(others[0])} as well: quote it`)
  const { rerank, answer, json = false, planes, 'top-k': topK } = values
  return {
    body: {
      q,
      ...(topK !== undefined && { top_k: readTopK(topK) }),
      ...(planes !== undefined && { planes: planes.split(',').map(readPlane) }),
      ...(rerank && { rerank }),
      ...(answer && { answer }),
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
      text: z.string().nullable(),
    }),
  ),
  answer: z.object({ text: z.string() }).nullable(),
})

const maxText = 100

/** The answer, if there is one, and a line per hit. */
function report({ hits, answer }: z.output<typeof found>): string {
  const lines = hits.map(({ rank, score, plane, unit_id, text }) =>
    `${String(rank).padStart(2)} ${score.toFixed(3)} ${plane.padEnd(10)} ${unit_id}  ${beginning(text ?? '')}`.trimEnd(),
  )
  return [...(answer === null ? [] : [printable(answer.text), '']), ...(lines.length > 0 ? lines : ['no hits'])].join(
    '\n',
  )
}

function beginning(text: string): string {
  const line = printable(text.slice(0, 4 * maxText))
  return line.length > maxText ? `${line.slice(0, maxText - 1)}…` : line
}

/** On one line, and without what would control a terminal or turn the direction of its text. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
