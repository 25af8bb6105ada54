import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig } from '../../config.ts'
import { OperatorError, RefusedError } from '../../model/operator-error.ts'
import { systemRandom } from '../../system.ts'
import type { Command } from '../program/command.ts'
import { writeWhole } from '../transfer/files.ts'
import { readCommand } from './options.ts'
import { requestSeed } from './request.ts'

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

async function rotate(env: Environment): Promise<object> {
  const config = readConfig(env)
  const { catalog } = config
  if (catalog.kind === 'pglite' && !existsSync(join(catalog.dataDir, 'catalog'))) {
    throw new OperatorError(`${resolve(catalog.dataDir)} holds no catalog; set DATA_DIR or --data-dir to the data`)
  }
  // Loaded only here: help and a request need no database driver.
  const { createRuntime } = await import('../../runtime.ts')
  const runtime = await createRuntime(config, {}, { background: 'never' })
  try {
    const { principals, ...rest } = await runtime.domain.rotateSeedTokens(systemRandom.id('rotate'))
    const named = principals.map(
      ({ token: _, principalId: principal_id, namespace, readOnly: read_only, ...others }) => ({
        principal_id,
        namespace,
        ...others,
        read_only,
      }),
    )
    return { principals: named, ...rest }
  } finally {
    await runtime.dispose()
  }
}

export const command: Command = {
  name: 'seed',
  run: main,
  codeOf: (error) => (error instanceof RefusedError ? exitCodes.refused : exitCodes.failed),
}
