import { planes as allPlanes } from '../../model/unit.ts'
import { readFlags, UsageError } from '../program/command.ts'
import { readService, type Service, serviceFlags } from '../program/service.ts'

export interface Options {
  service: Service
  /** The body of `POST /v1/search`. */
  body: { q: string; top_k?: number; planes?: string[]; rerank?: true; answer?: true }
  json: boolean
}

/** Throws an error that says what is wrong with the command line. */
export async function readOptions(args: readonly string[], env: Record<string, string | undefined>): Promise<Options> {
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
