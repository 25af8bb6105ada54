import { z } from 'zod'

/** `openai:bge-m3@1024=2, own=0.5`: names of models hold `=` nowhere, and no comma. */
export const vectorWeights = z.string().transform((list, context): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  for (const entry of list.split(',').map((part) => part.trim())) {
    const [, model = '', weight = ''] = /^([^=]+)=(\d{1,3}(?:\.\d{1,6})?)$/u.exec(entry) ?? []
    if (model === '' || Number(weight) > 100) {
      context.addIssue(
        'must be MODEL=WEIGHT pairs with commas between them, such as openai:bge-m3@1024=2; weights are from 0 to 100',
      )
      return z.NEVER
    }
    weights.set(model, Number(weight))
  }
  return weights
})
