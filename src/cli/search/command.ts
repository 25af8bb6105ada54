import { RefusedError } from '../../model/operator-error.ts'
import type { Command } from '../program/command.ts'
import { headersOf, post } from '../program/service.ts'
import { type Options, readOptions } from './options.ts'
import { found, report } from './report.ts'

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
