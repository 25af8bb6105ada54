import { readConfig } from '../../config.ts'
import { TransferRefusedError } from '../../model/transfer.ts'
import type { Transfer } from '../../wiring/transfer.ts'
import type { Command } from '../program/command.ts'
import { linesOf, writeWhole } from './files.ts'
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
  const { openTransfer } = await import('../../wiring/transfer.ts')
  const transfer = await openTransfer(readConfig(env))
  try {
    console.log(await run(transfer, command, progress))
    return exitCodes.done
  } finally {
    progress.end()
    await transfer.close()
  }
}

async function run(
  transfer: Transfer,
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

export const command: Command = {
  name: 'transfer',
  run: main,
  codeOf: (error) => (error instanceof TransferRefusedError ? exitCodes.refused : exitCodes.failed),
}
