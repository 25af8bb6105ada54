import { readFlags } from '../program/command.ts'
import { addressProblem, isAddress, readToken, type Service } from '../program/service.ts'

export interface Options {
  service: Service
  file: string | undefined
  replace: boolean
  publish: boolean
  json: boolean
  run: string | undefined
  answers: boolean | undefined
  rerank: boolean | undefined
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
      ...{ url: text, 'token-file': text, namespace: text, scope: text, file: text, run: text },
      ...{ replace: flag, publish: flag, json: flag, answers: flag, rerank: flag },
      min: { ...text, multiple: true },
    },
  })
  const { url, namespace, scope, file, run, answers, rerank, replace = false, publish = false, json = false } = values
  if (!isAddress(url)) throw new Error(addressProblem)
  if (replace && file === undefined) throw new Error('--replace takes a --file')
  if (run !== undefined && [file, answers, rerank].some((value) => value !== undefined)) {
    throw new Error('--run continues a run, and cannot be combined with --file, --answers or --rerank')
  }
  const minima = new Map((values.min ?? []).map(readMinimum))
  const token = await readToken(values['token-file'], env)
  return { service: { url, token, namespace, scope }, file, replace, publish, json, run, answers, rerank, minima }
}

function readMinimum(text: string): [metric: string, value: number] {
  const [, metric = '', value = ''] = /^([^=]+)=(\d*\.?\d+)$/.exec(text) ?? []
  if (metric === '') throw new Error('--min takes METRIC=VALUE, such as ndcg@10=.7')
  return [metric, Number(value)]
}
