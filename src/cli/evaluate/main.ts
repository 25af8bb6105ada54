import { runCommand } from '../program/command.ts'
import { deleteOthers, readGoldenFile, upload } from './golden-file.ts'
import { help } from './help.ts'
import { readOptions } from './options.ts'
import { createProgress } from './progress.ts'
import { evaluate, publish } from './run.ts'
import { shortfalls, table } from './table.ts'

const exitCodes = { measured: 0, short: 1, failed: 2 } as const

/** `evaluate --url URL …`: returns the exit code. */
async function evaluateService(args: readonly string[], env: Record<string, string | undefined>): Promise<number> {
  const options = await readOptions(args, env)
  const { service, file } = options
  if (file !== undefined) {
    const ids = await upload(service, await readGoldenFile(file))
    if (options.replace) await deleteOthers(service, ids)
  }
  const { id, report } = await evaluate(service, options, createProgress(process.stderr, Date.now))
  console.log(options.json ? JSON.stringify({ run: id, ...report }) : table(report))
  const short = shortfalls(report, options.minima)
  if (short.length > 0) {
    console.error(short.join('\n'))
    return exitCodes.short
  }
  if (options.publish) await publish(service, id)
  return exitCodes.measured
}

await runCommand({ name: 'evaluate', help, run: evaluateService, codeOf: () => exitCodes.failed })
