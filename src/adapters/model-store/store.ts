import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { OperatorError, RefusedError } from '../../model/operator-error.ts'
import {
  addTokenizerConfig,
  type Described,
  describeModel,
  exists,
  hashFiles,
  type Manifest,
  type ModelKind,
} from './layout.ts'
import { type AddRequest, bring, type SourceTools } from './sources.ts'

export interface StoredModel {
  name: string
  kind: ModelKind
  /** Null if its files do not say. */
  dims: number | null
  bytes: number
  licence: string | null
  origin: string | null
  directory: string
  /** It comes with the service, and cannot be removed. */
  builtin: boolean
}

export interface AddedModel extends StoredModel {
  /** Those that name such a model. */
  settings: readonly string[]
}

/** Begins with a dot, which no model's name does, and names the process that works on it. */
const newDraft = () => `.draft-${process.pid}-${randomUUID()}`

/** Those of processes that were killed. */
async function removeOldDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /^\.draft-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH'
  }
}

/** Models in `directory`, and the one that comes with the service, if it is installed. */
export class ModelStore {
  readonly #directory: string
  readonly #builtin: { name: string; directory: string } | null

  constructor(directories: { directory: string; builtin: { name: string; directory: string } | null }) {
    this.#directory = resolve(directories.directory)
    this.#builtin = directories.builtin
  }

  async list(): Promise<StoredModel[]> {
    const own = await modelsIn(this.#directory)
    if (this.#builtin) {
      const { directory, name } = this.#builtin
      own.push(await storedModel(directory, name, await describeModel(directory), true))
    }
    return own.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /**
   * Brings a model, or nothing: it is complete in a draft before it gets its name. Throws a RefusedError for a model that is
   * there, damaged or another one than expected, and an OperatorError for everything that an operator can fix.
   */
  async add(asked: AddRequest, tools: SourceTools): Promise<AddedModel> {
    const to = join(this.#directory, asked.name)
    if (await exists(to)) throw this.#isThere(asked.name)
    const above = dirname(asked.name)
    if ((await this.list()).some(({ name }) => name === above)) throw this.#isThere(above)
    if (asked.name === this.#builtin?.name)
      throw new RefusedError(`${asked.name} comes with the service: choose another name`)
    const draft = join(this.#directory, newDraft())
    try {
      await mkdir(draft, { recursive: true })
      await removeOldDrafts(this.#directory)
      const { origin, licence, cosines } = await bring(asked, draft, tools)
      await addTokenizerConfig(draft)
      const described = await describeModel(draft)
      const { manifest, kind } = described
      if (kind === 'ocr' && asked.name !== 'ocr')
        throw new RefusedError('it reads text in pictures: only under the name ocr does the service use it')
      if (kind !== 'ocr' && asked.name === 'ocr')
        throw new RefusedError('it does not read text in pictures, as the model ocr must: choose another name')
      const files = await hashFiles(draft, manifest?.files)
      const known: Manifest = {
        ...manifest,
        name: asked.name,
        kind,
        ...cosines,
        licence: licence ?? described.licence,
        origin: manifest?.origin ?? origin,
        files: checkedWhenLoaded(files),
      }
      await writeFile(join(draft, 'model.json'), `${JSON.stringify(known, null, 2)}\n`)
      await mkdir(dirname(to), { recursive: true })
      await rename(draft, to)
      return {
        ...(await storedModel(
          to,
          asked.name,
          { ...described, licence: known.licence ?? null, manifest: known },
          false,
        )),
        settings: described.settings,
      }
    } catch (error) {
      // Another command was faster.
      if (error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY') throw this.#isThere(asked.name)
      throw problemOf(error, this.#directory)
    } finally {
      await rm(draft, { recursive: true, force: true }).catch(() => {})
    }
  }

  #isThere(name: string): RefusedError {
    return new RefusedError(`there is a model ${name} in ${this.#directory}: remove it first, or choose another name`)
  }

  /** Throws a RefusedError for a model of the service, and for one that is not there. */
  async remove(name: string): Promise<StoredModel> {
    const found = (await this.list()).find((model) => model.name === name)
    if (found === undefined) throw new RefusedError(`there is no model ${name} in ${this.#directory}`)
    if (found.builtin)
      throw new RefusedError(`${name} comes with the service: only models in ${this.#directory} can be removed`)
    const draft = join(this.#directory, newDraft())
    try {
      // With another name first: no service that starts meanwhile finds half of it.
      await rename(found.directory, draft)
      await rm(draft, { recursive: true })
      await removeEmpty(dirname(found.directory), this.#directory)
    } catch (error) {
      throw problemOf(error, this.#directory)
    }
    return found
  }
}

/** The runtime itself opens weights with a file of data beside them, so that the service cannot check these. */
function checkedWhenLoaded(files: Manifest['files']): Manifest['files'] {
  const hasData = Object.keys(files).some((name) => /^onnx\/.*(?:_data|\.data)$/.test(name))
  return hasData ? Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith('onnx/'))) : files
}

/** Folders of organisations, up to the directory of models. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  if (!folder.startsWith(root + sep)) return
  const removed = await rmdir(folder).then(
    () => true,
    () => false,
  )
  if (removed) await removeEmpty(dirname(folder), root)
}

/** A folder without a model may have models of an organisation. A damaged one is left out. */
async function modelsIn(root: string, prefix = ''): Promise<StoredModel[]> {
  const entries = await readdir(join(root, prefix), { withFileTypes: true }).catch(() => [])
  const found: StoredModel[] = []
  for (const { name: folder } of entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))) {
    const name = prefix === '' ? folder : `${prefix}/${folder}`
    const directory = join(root, name)
    const described = await describeModel(directory).catch(() => null)
    if (described !== null) found.push(await storedModel(directory, name, described, false))
    else if (name.split('/').length < maxDepth) found.push(...(await modelsIn(root, name)))
  }
  return found
}

/** Folders of organisations in each other. */
const maxDepth = 3

async function storedModel(
  directory: string,
  name: string,
  { kind, dims, licence, manifest }: Described,
  builtin: boolean,
): Promise<StoredModel> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  )
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  return { name, kind, dims, bytes, licence, origin: manifest?.origin ?? null, directory, builtin }
}

/** Errors of the file system, with what to do about them. */
function problemOf(error: unknown, directory: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) {
    return new OperatorError(`${directory} is full: free some space, or set MODELS_DIR to another disk`)
  }
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(code)) {
    return new OperatorError(`${directory} cannot be written to (${code}): change its rights, or set MODELS_DIR`)
  }
  return error
}
