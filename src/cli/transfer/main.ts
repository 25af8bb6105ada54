import { readConfig } from '../../config.ts'
import type { Domain } from '../../domain/services.ts'
import { TransferRefusedError } from '../../model/transfer.ts'
import { runCommand } from '../program/command.ts'
import { linesOf, writeWhole } from './files.ts'
import { help } from './help.ts'
import { readCommand, type TransferCommand } from './options.ts'
import { createProgress } from './progress.ts'
import { plural, report } from './report.ts'

const exitCodes = { done: 0, refused: 1, failed: 2 } as const

/**
 * `transfer export …`, `transfer import …`: without the service, on the catalog and the object store of its settings.
 */
async function main(args: readonly string[], env: Record<string, string | undefined>): Promise<number> {
  const command = readCommand(args)
  const progress = createProgress(process.stderr, Date.now)
  // Loaded only here: help needs no database driver.
  const { createRuntime } = await import('../../runtime.ts')
  const runtime = await createRuntime(readConfig(env), {}, { idle: true })
  try {
    console.log(await run(runtime.domain, command, progress))
    return exitCodes.done
  } finally {
    progress.end()
    await runtime.dispose()
  }
}

async function run(
  { transfer }: Domain,
  command: TransferCommand,
  progress: ReturnType<typeof createProgress>,
): Promise<string> {
  const { file } = command
  if (command.kind === 'export') {
    const { namespace } = command
    const done = await writeWhole(file, (write) => transfer.export(namespace, { write, progress: progress.at }))
    const { withoutBytes } = done
    const remarks = withoutBytes === 0 ? [] : [`the bytes of ${plural(withoutBytes, 'source')} were not there`]
    return report({ verb: 'exported', file, ...done, remarks })
  }
  const done = await transfer.import({ lines: () => linesOf(file), progress: progress.at })
  const remarks = [
    ...Object.entries(done.leftOut).map(([kind, n]) => `left out: ${plural(n, 'record')} ${kind}`),
    ...done.unknownKeys.map((name) => `AUDIT_SIGNING_KEY does not list who signed the log of ${name}`),
  ]
  const namespaces = done.namespaces.map(({ name }) => name)
  return report({ verb: 'imported', file, namespaces, counts: done.counts, remarks })
}

await runCommand({
  name: 'transfer',
  help,
  run: main,
  codeOf: (error) => (error instanceof TransferRefusedError ? exitCodes.refused : exitCodes.failed),
})
