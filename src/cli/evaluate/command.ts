import type { Command } from '../program/command.ts'
import { fitOf, fitTable, measureWeights } from './fit.ts'
import { deleteOthers, readGoldenFile, upload } from './golden-file.ts'
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
  if (options.fit) {
    console.log(fitTable(fitOf(await measureWeights(service, createProgress(process.stderr, Date.now)))))
    return exitCodes.measured
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

export const command: Command = { name: 'evaluate', run: evaluateService, codeOf: () => exitCodes.failed }
