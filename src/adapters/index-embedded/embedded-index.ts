import type { TextIndex } from '../../ports/text-index.ts'
import type { VectorIndex } from '../../ports/vector-index.ts'
import { EmbeddedTextIndex } from './embedded-text-index.ts'
import { EmbeddedVectorIndex } from './embedded-vector-index.ts'

/** In-process, exact, and empty at start: both indexes are fed from the catalog, each by its own cursor. */
export function createEmbeddedIndex(): { vectors: VectorIndex; texts: TextIndex } {
  return { vectors: new EmbeddedVectorIndex(), texts: new EmbeddedTextIndex() }
}
