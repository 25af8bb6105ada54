import type { Highlight } from '../../../ports/text-index.ts'
import { findPassage } from './find-passage.ts'

/** Where words of the query stand in the text: ascending, never overlapping. */
export const highlights = (query: string, text: string): Highlight[] => findPassage(query, text, Infinity).highlights
