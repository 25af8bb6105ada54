import { z } from 'zod'
import type { EmbeddingKind } from '../../ports/models/inference.ts'
import type { Pooling } from './messages.ts'
import { readJson } from './model-files.ts'

/** The files of sentence-transformers next to a model: how its vectors are made from token vectors. */

const modules = z.array(z.object({ type: z.string(), path: z.string() }))
/**
 * One of these is true, or the mode is named:
 * https://sbert.net/docs/package_reference/sentence_transformer/modules.html
 */
const poolingConfig = z.object({
  pooling_mode: z.string().optional(),
  pooling_mode_cls_token: z.boolean().default(false),
  pooling_mode_mean_tokens: z.boolean().default(false),
  pooling_mode_lasttoken: z.boolean().default(false),
})
const promptConfig = z.object({
  prompts: z.record(z.string(), z.string().nullable()).nullish(),
  default_prompt_name: z.string().nullish(),
})
const poolingFile = '1_Pooling/config.json'

export interface SentenceFiles {
  pooling: Pooling
  /** The prompt before a text, by the kind of text; usually empty. */
  prompts: Record<EmbeddingKind, string>
}

/** Throws a sentence for operators if a model cannot be used as its files say. */
export async function readSentenceFiles(directory: string): Promise<SentenceFiles> {
  const parts = await readJson(directory, 'modules.json', modules, [])
  if (parts.some(({ type }) => type.endsWith('Dense'))) throw new Error('has layers behind its pooling (modules.json)')
  const pooling = await readJson(directory, poolingFile, poolingConfig, { pooling_mode: 'mean' })
  const { prompts, default_prompt_name } = await readJson(
    directory,
    'config_sentence_transformers.json',
    promptConfig,
    {},
  )
  const usual = prompts?.[default_prompt_name ?? ''] ?? ''
  return {
    pooling: poolingOf(pooling),
    prompts: {
      query: prompts?.query ?? usual,
      passage: prompts?.document ?? prompts?.passage ?? usual,
    },
  }
}

function poolingOf(config: z.infer<typeof poolingConfig>): Pooling {
  const { pooling_mode: named, pooling_mode_cls_token: cls, pooling_mode_lasttoken: last } = config
  if (named === 'cls' || named === 'mean' || named === 'lasttoken') return named
  if (named === undefined && cls) return 'cls'
  if (named === undefined && last) return 'lasttoken'
  if (named === undefined && config.pooling_mode_mean_tokens) return 'mean'
  throw new Error(`has a pooling in ${poolingFile} other than mean, cls and lasttoken`)
}
