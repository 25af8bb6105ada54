import { z } from 'zod'
import { readConfig } from '../../config.ts'
import { RefusedError } from '../../model/operator-error.ts'
import { systemRandom } from '../../system.ts'
import { withStopped } from '../../wiring/stopped.ts'
import { type Command, callOf, type Environment, flag, readFlags, text, UsageError } from '../program/command.ts'
import { post, readAddress, readToken } from '../program/service.ts'
import { writeWhole } from '../transfer/files.ts'

const exitCodes = { done: 0, refused: 1, failed: 2 } as const

/** `seed` sends a request to the service; `seed --rotate` works without the service, on the catalog of its settings. */
async function main(args: readonly string[], env: Environment): Promise<number> {
  const command = await readCommand(args, env)
  const answer = () => (command.kind === 'ask' ? requestSeed(command.url, command.token) : rotate(command.env))
  const asJson = (seeded: Seeded) => `${JSON.stringify(seeded, null, 2)}\n`
  // The file is created before the request: tokens that cannot be saved would be lost.
  if (command.out !== undefined) await writeWhole(command.out, async (write) => write(asJson(await answer())))
  else if (command.json || !process.stdout.isTTY) process.stdout.write(asJson(await answer()))
  else console.log(report(await answer(), env))
  return exitCodes.done
}

/** For people: the tokens, in the order of their principals, and what to do with them. */
function report({ tokens, principals }: Seeded, env: Environment): string {
  const rows = Object.entries(tokens).map(([name, token], i) => {
    const { namespace = '', perms = [] } = principals[i] ?? {}
    return `  ${name.padEnd(10)}  ${token.padEnd(50)}  ${namespace}: ${perms.join(', ')}`
  })
  return [
    'The demo data are in. These tokens are shown only now:',
    ...['', ...rows, '', 'Next:'],
    `  export SVC_TOKEN=${tokens.admin}`,
    `  ${callOf('search', env, "'pier 4'")}`,
    `  ${callOf('ask', env, "'Why did the battery pack overheat at pier 4?'")}`,
  ].join('\n')
}

const rotate = (env: Environment): Promise<Seeded> =>
  withStopped(readConfig(env), async (domain) => {
    const { principals, ...rest } = await domain.rotateSeedTokens(systemRandom.id('rotate'))
    const named = principals.map(
      ({ token: _, principalId: principal_id, namespace, readOnly: read_only, ...others }) => ({
        principal_id,
        namespace,
        ...others,
        read_only,
      }),
    )
    return { principals: named, ...rest }
  })

export const command: Command = {
  name: 'seed',
  run: main,
  codeOf: (error) => (error instanceof RefusedError ? exitCodes.refused : exitCodes.failed),
}

type SeedCommand =
  | { kind: 'ask'; url: string; token: string | null; out: string | undefined; json: boolean }
  | { kind: 'rotate'; env: Environment; out: string | undefined; json: boolean }

/** Throws an error that says what is wrong with the command line. */
async function readCommand(args: readonly string[], env: Environment): Promise<SeedCommand> {
  const service = { url: text, 'token-file': text }
  const values = readFlags(args, { ...service, 'data-dir': text, out: text, rotate: flag, json: flag })
  const { rotate = false, url: given, 'token-file': file, 'data-dir': dataDir, out, json = false } = values
  if (rotate) {
    if (given !== undefined || file !== undefined) {
      throw new UsageError('--rotate works on the data itself, without --url and --token-file')
    }
    return { kind: 'rotate', env: dataDir === undefined ? env : { ...env, DATA_DIR: dataDir }, out, json }
  }
  if (dataDir !== undefined) throw new UsageError('--data-dir goes with --rotate')
  const url = readAddress(given, env)
  const token = file === undefined && !env.SVC_TOKEN ? null : await readToken(file, env)
  return { kind: 'ask', url, token, out, json }
}

/** What else a first seed is refused for. */
const seededBefore =
  'if the demo is there already, use one of its tokens, or stop the service and replace them with seed --rotate; ' +
  'if people have signed up before, SVC_TOKEN must be the SUPER_ADMIN_TOKEN of the service'

const seeded = z.looseObject({
  tokens: z.record(z.string(), z.string()),
  principals: z.array(z.looseObject({ namespace: z.string(), perms: z.array(z.string()).readonly() })),
})
type Seeded = z.output<typeof seeded>

/**
 * The answer of `POST /v1/admin/seed`. Throws a `RefusedError` with the service's error message, else
 * `UnreachableError`.
 */
async function requestSeed(url: string, token: string | null): Promise<Seeded> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const answer = post(url, '/v1/admin/seed', seeded, { headers }).catch((error: unknown) => {
    if (token !== null || !(error instanceof RefusedError) || error.code !== 'unauthorized') throw error
    throw new RefusedError(`${error.message}; ${seededBefore}`, error.code)
  })
  return seeded.parse(await answer)
}
