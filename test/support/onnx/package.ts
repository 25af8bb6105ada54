const packageName: string = '@huggingface/transformers'

/** Whether the optional package of local models can be loaded here, its native runtime with it. */
export const hasOnnx: boolean = await import(packageName).then(
  () => true,
  () => false,
)
