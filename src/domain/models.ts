import type { EmbeddingModel } from '../ports/inference.ts'

/** Where a plane has only the built-in model, callers' own vectors are a model of their own. */
export const ownModel = (configured: EmbeddingModel): string => (configured.builtin ? 'own' : configured.name)
