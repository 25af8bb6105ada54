import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The embedding model that comes with the service. */
export const ownName = 'minilm-l6-v2'

/** The model that comes with the service, if its package is installed. */
export function ownModel(): { name: string; directory: string } | null {
  try {
    return { name: ownName, directory: ownDirectory() }
  } catch {
    return null
  }
}

/** Throws if its package is not installed. */
export const ownDirectory = () =>
  dirname(createRequire(import.meta.url).resolve('multimodal-retrieval-minilm-l6-v2/model.json'))

/** What the model that comes with the service lacks on this machine, in words for operators. Null: nothing. */
export function missingPart(): string | null {
  const { platform, arch } = process
  try {
    const runtime = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'))
    if (!existsSync(join(runtime, 'bin/napi-v6', platform, arch)))
      return `onnxruntime-node has no build for ${platform} ${arch}`
  } catch {
    return 'the package onnxruntime-node is not installed'
  }
  return ownModel() === null ? 'the package multimodal-retrieval-minilm-l6-v2 is not installed' : null
}
