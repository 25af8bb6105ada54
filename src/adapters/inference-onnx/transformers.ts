/** The parts of @huggingface/transformers in use; its types are missing where the package is not installed. */
export interface Transformers {
  env: { allowRemoteModels: boolean; useFSCache: boolean; logLevel: number }
  LogLevel: { NONE: number }
  AutoTokenizer: { from_pretrained(directory: string): Promise<Tokenizer> }
  AutoModel: ModelLoader
  AutoModelForSequenceClassification: ModelLoader
}

interface ModelLoader {
  from_pretrained(directory: string, options: { dtype: string; device: 'cpu' }): Promise<Model>
}

export interface Tokenizer {
  (texts: readonly string[], options: TokenizerOptions & { padding: true }): Tensors
  encode(text: string, options: TokenizerOptions): number[]
}

interface TokenizerOptions {
  text_pair?: unknown
  return_token_type_ids?: boolean
}

export type Model = (inputs: Tensors) => Promise<Tensors>

export interface Tensor {
  data: ArrayLike<number | bigint>
  dims: readonly number[]
}

export type Tensors = Readonly<Record<string, Tensor | undefined>>

// Hidden from the compiler: the package is optional.
const packageName: string = '@huggingface/transformers'

/** Reads models only from directories: downloads, caches and prints nothing. */
export async function importTransformers(): Promise<Transformers> {
  const transformers: Transformers = await import(packageName)
  const { env, LogLevel } = transformers
  Object.assign(env, { allowRemoteModels: false, useFSCache: false, logLevel: LogLevel.NONE })
  return transformers
}
