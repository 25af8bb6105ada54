import { join, resolve } from 'node:path'
import { ownModel } from '../../adapters/inference-onnx/own-model.ts'
import { type AddedModel, ModelStore, type StoredModel } from '../../adapters/model-store/store.ts'
import { readDirectory } from '../../adapters/parsers/zip.ts'
import { readConfig } from '../../config.ts'
import { OperatorError, RefusedError } from '../../model/operator-error.ts'
import { modelNames } from '../../settings/inference.ts'
import type { InferenceConfig } from '../../settings/inference-config.ts'
import {
  type Command,
  type Environment,
  flag,
  noSuchCommand,
  onlyWord,
  readWords,
  text,
  UsageError,
} from '../program/command.ts'

type ModelCommand =
  | { kind: 'add'; name: string; from: string | null; weights: string | null; sha256: string | null; json: boolean }
  | { kind: 'list'; json: boolean }
  | { kind: 'remove'; name: string; force: boolean; json: boolean }

/** `model add …`, `model list`, `model remove …`: without the service, in the directory of models of its settings. */
async function main(args: readonly string[], env: Environment): Promise<number> {
  const command = readCommand(args)
  const { inference, modelsDir } = readConfig(env)
  const store = new ModelStore({ directory: modelsDir, builtin: ownModel() })
  const uses = usesOf(inference)
  const show = (model: StoredModel) => ({ ...model, used_by: uses(model) })
  if (command.kind === 'list') {
    const models = (await store.list()).map(show)
    console.log(command.json ? JSON.stringify({ directory: resolve(modelsDir), models }) : table(models, modelsDir))
    return 0
  }
  if (command.kind === 'remove') {
    const { name, force, json } = command
    const [use] = uses({ name, builtin: false, directory: join(resolve(modelsDir), name) })
    if (use !== undefined && !force) {
      throw new RefusedError(`${use} names ${name}: change it first, or remove the model all the same with --force`)
    }
    const removed = await store.remove(name)
    console.log(json ? JSON.stringify(show(removed)) : `removed  ${name} (${sizeOf(removed)})`)
    return 0
  }
  const added = await interruptible((signal) =>
    store.add(command, { zipDirectory: readDirectory, signal, env, report: (text) => console.error(text) }),
  )
  console.log(command.json ? JSON.stringify(show(added)) : report(added))
  return 0
}

export const command: Command = {
  name: 'model',
  run: main,
  codeOf: (error) => (error instanceof RefusedError ? 1 : 2),
}

/** Throws an error that says what is wrong with the command line. */
function readCommand([verb, ...args]: readonly string[]): ModelCommand {
  if (verb === 'list') {
    const { values, positionals } = readWords(args, { json: flag })
    if (positionals.length > 0) throw new UsageError('list takes no name; try --help')
    return { kind: 'list', json: values.json === true }
  }
  if (verb === 'remove') {
    const { values, positionals } = readWords(args, { json: flag, force: flag })
    return { kind: 'remove', name: nameOf(verb, positionals), force: values.force === true, json: values.json === true }
  }
  if (verb !== 'add') throw noSuchCommand(verb, ['add', 'list', 'remove'])
  const { values, positionals } = readWords(args, { from: text, weights: text, sha256: text, json: flag })
  const { from = null, weights = null, sha256 = null, json = false } = values
  if (weights !== null && !/^(?:\w[\w.-]*\/)*\w[\w.-]*\.onnx$/.test(weights)) {
    throw new UsageError('--weights must be the path of a file .onnx in the repository; try --help')
  }
  if (sha256 !== null && !/^[0-9a-f]{64}$/.test(sha256)) throw new UsageError('--sha256 must be 64 hexadecimal digits')
  return { kind: 'add', name: nameOf(verb, positionals), from, weights, sha256, json }
}

function nameOf(verb: string, words: readonly string[]): string {
  const name = onlyWord(words, `${verb} takes one NAME; try --help`)
  // Deeper ones may lie there, but no list shows them all.
  if (!modelNames.test(name) || (verb === 'add' && name.split('/').length > 2))
    throw new UsageError(`${JSON.stringify(name)} is not a name of a model: write NAME or ORGANISATION/NAME`)
  return name
}

/** Ctrl-C ends the work, which removes what is incomplete. */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController()
  const end = () => ended.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    return await work(ended.signal)
  } catch (error) {
    throw ended.signal.aborted ? new OperatorError('interrupted; nothing was added') : error
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
  }
}

/** The settings that name a model, by its directory. */
function usesOf({ planes, former, rerank, entailment, media }: InferenceConfig) {
  const configured: readonly object[] = [
    ...Object.values(planes),
    former,
    rerank,
    entailment,
    ...Object.values(media),
  ].filter((entry) => entry !== null)
  return ({ builtin, directory }: Pick<StoredModel, 'name' | 'builtin' | 'directory'>): string[] => {
    const settings = configured.flatMap((entry) => {
      if (!('directory' in entry) || !('setting' in entry)) return []
      const isIt = entry.directory === null ? builtin : resolve(String(entry.directory)) === directory
      return isIt ? [String(entry.setting)] : []
    })
    return [...new Set(settings)]
  }
}

type Shown = StoredModel & { used_by: string[] }

function table(models: readonly Shown[], directory: string): string {
  if (models.length === 0) return `there are no models in ${resolve(directory)}; model add brings one`
  const head = ['name', 'kind', 'dims', 'size', 'licence', 'used by']
  const rows = models.map(({ name, kind, dims, licence, used_by, ...model }) => [
    ...[name, kind, dims === null ? '-' : `${dims}`, sizeOf(model), licence ?? 'unknown'],
    `${used_by.join(', ') || '-'}${model.builtin ? ' (comes with the service)' : ''}`,
  ])
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => (row[i] ?? '').length)))
  const lines = [head, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [...lines, '', `Models are added to ${resolve(directory)}. --json shows where each is from.`].join('\n')
}

const sizeOf = ({ bytes }: Pick<StoredModel, 'bytes'>) => `${(bytes / 1e6).toFixed(1)} MB`

function report(model: AddedModel): string {
  const lines: [string, string][] = [
    [
      'added',
      `${[...new Set([model.name, model.kind])].join(', ')}${model.dims === null ? '' : ` of ${model.dims} dimensions`}`,
    ],
    ['in', `${model.directory} (${sizeOf(model)})`],
    ['licence', model.licence ?? 'unknown: look at its origin before you use it'],
    ['origin', model.origin ?? 'unknown'],
    ['next', nextStep(model)],
  ]
  return lines.map(([name, value]) => `${name.padEnd(7)}  ${value}`).join('\n')
}

function nextStep({ name, kind, settings }: AddedModel): string {
  if (kind === 'ocr') return 'the service reads the text in pictures and scanned pages with it from now on'
  const start = `${settings.map((setting) => `${setting}=${name} `).join('')}npm start`
  if (kind !== 'embedding') return start
  return `${start}\n         Content is embedded again in the background, and searches find all of it meanwhile`
}
