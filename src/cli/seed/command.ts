import { z } from 'zod'
import { readConfig } from '../../config.ts'
import { RefusedError } from '../../model/operator-error.ts'
import { systemRandom } from '../../system.ts'
import { withStopped } from '../../wiring/stopped.ts'
import { type Command, readFlags, UsageError } from '../program/command.ts'
import { post, readAddress, readToken } from '../program/service.ts'
import { writeWhole } from '../transfer/files.ts'

type Environment = Readonly<Record<string, string | undefined>>

const exitCodes = { done: 0, refused: 1, failed: 2 } as const

/** `seed` sends a request to the service; `seed --rotate` works without the service, on the catalog of its settings. */
async function main(args: readonly string[], env: Environment): Promise<number> {
  const command = await readCommand(args, env)
  const answer = async () => {
    const seeded = command.kind === 'ask' ? await requestSeed(command.url, command.token) : await rotate(command.env)
    return `${JSON.stringify(seeded, null, 2)}\n`
  }
  // The file is created before the request: tokens that cannot be saved would be lost.
  if (command.out === undefined) process.stdout.write(await answer())
  else await writeWhole(command.out, async (write) => write(await answer()))
  return exitCodes.done
}

const rotate = (env: Environment): Promise<object> =>
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
  | { kind: 'ask'; url: string; token: string | null; out: string | undefined }
  | { kind: 'rotate'; env: Environment; out: string | undefined }

/** Throws an error that says what is wrong with the command line. */
async function readCommand(args: readonly string[], env: Environment): Promise<SeedCommand> {
  const text = { type: 'string' } as const
  const { values } = readFlags({
    args: [...args],
    options: { url: text, 'token-file': text, 'data-dir': text, out: text, rotate: { type: 'boolean' } },
  })
  const { rotate = false, url: given, 'token-file': file, 'data-dir': dataDir, out } = values
  if (rotate) {
    if (given !== undefined || file !== undefined) {
      throw new UsageError('--rotate works on the data itself, without --url and --token-file')
    }
    return { kind: 'rotate', env: dataDir === undefined ? env : { ...env, DATA_DIR: dataDir }, out }
  }
  if (dataDir !== undefined) throw new UsageError('--data-dir goes with --rotate')
  const url = readAddress(given, env)
  const token = file === undefined && !env.SVC_TOKEN ? null : await readToken(file, env)
  return { kind: 'ask', url, token, out }
}

const seeded = z.looseObject({ tokens: z.record(z.string(), z.string()) })

/**
 * The answer of `POST /v1/admin/seed`. Throws a `RefusedError` with the service's error message, else
 * `UnreachableError`.
 */
async function requestSeed(url: string, token: string | null): Promise<object> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  return seeded.parse(await post(url, '/v1/admin/seed', seeded, { headers }))
}
