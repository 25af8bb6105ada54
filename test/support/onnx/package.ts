const packageName: string = '@huggingface/transformers'

/** Whether the optional package of local models and its native runtime can be loaded here. */
export const hasOnnx: boolean = await import(packageName).then(
  () => true,
  () => false,
)
