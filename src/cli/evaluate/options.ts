import { readFlags, UsageError } from '../program/command.ts'
import { readService, type Service, serviceFlags } from '../program/service.ts'

export interface Options {
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
