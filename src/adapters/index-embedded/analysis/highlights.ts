import type { Highlight } from '../../../ports/text-index.ts'
import { findPassage } from './find-passage.ts'

/** The positions of query words in the text: ascending, never overlapping. */
export const highlights = (query: string, text: string): Highlight[] => findPassage(query, text, Infinity).highlights
