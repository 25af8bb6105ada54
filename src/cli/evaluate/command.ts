import { type Command, readFlags, UsageError } from '../program/command.ts'
import { readService, type Service, serviceFlags } from '../program/service.ts'
import { fitOf, fitTable, measureWeights } from './fit.ts'
import { deleteOthers, readGoldenFile, upload } from './golden-file.ts'
import { evaluate, publish, shortfalls, table } from './run.ts'

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

interface Options {
  service: Service
  file: string | undefined
  replace: boolean
  publish: boolean
  json: boolean
  run: string | undefined
  answers: boolean | undefined
  rerank: boolean | undefined
  /** Compare weights of vectors instead of reporting. */
  fit: boolean
  /** Minimum values of the means. */
  minima: ReadonlyMap<string, number>
}

/** Throws an error that says what is wrong with the command line. */
export async function readOptions(args: readonly string[], env: Record<string, string | undefined>): Promise<Options> {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values } = readFlags({
    args: [...args],
    allowNegative: true,
    options: {
      ...serviceFlags,
      ...{ file: text, run: text },
      ...{ replace: flag, publish: flag, json: flag, answers: flag, rerank: flag, fit: flag },
      min: { ...text, multiple: true },
    },
  })
  const { file, run, answers, rerank, replace = false, publish = false, json = false, fit = false } = values
  if (replace && file === undefined) throw new UsageError('--replace takes a --file')
  if (run !== undefined && [file, answers, rerank].some((value) => value !== undefined)) {
    throw new UsageError('--run continues a run, and cannot be combined with --file, --answers or --rerank')
  }
  const minima = new Map((values.min ?? []).map(readMinimum))
  if (fit && [run, answers, rerank, values.publish, values.min, values.json].some((value) => value !== undefined)) {
    throw new UsageError('--fit cannot be combined with --run, --answers, --rerank, --min, --publish or --json')
  }
  return { service: await readService(values, env), file, replace, publish, json, run, answers, rerank, fit, minima }
}

function readMinimum(text: string): [metric: string, value: number] {
  const [, metric = '', value = ''] = /^([^=]+)=(\d*\.?\d+)$/.exec(text) ?? []
  if (metric === '') throw new UsageError('--min takes METRIC=VALUE, such as ndcg@10=.7')
  return [metric, Number(value)]
}

interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
}

const width = 30

/** Shows the progress of a run: on a terminal as one line that is rewritten, else as a new line each time. */
export function createProgress(out: Terminal, now: () => number) {
  // The state at the first call: queries that a resumed run asked earlier say nothing about the speed.
  let first: { asked: number; time: number } | null = null
  return (asked: number, total: number): void => {
    first ??= { asked, time: now() }
    if (!out.isTTY) {
      out.write(`asked ${asked} of ${total}\n`)
      return
    }
    const filled = total === 0 ? width : Math.round((asked / total) * width)
    const bar = '#'.repeat(filled) + '-'.repeat(width - filled)
    const secondsEach = (now() - first.time) / (asked - first.asked) / 1000
    const left = asked > first.asked && asked < total ? `, ${Math.ceil(secondsEach * (total - asked))} s left` : ''
    out.write(`\r\u001b[K[${bar}] ${asked}/${total}${left}${asked < total ? '' : '\n'}`)
  }
}
