import type { Passage } from '../../../ports/models/answer-writer.ts'
import type { Prompt } from './chat.ts'
import { aboutBlocks, blocksOf } from './passage-blocks.ts'

/** The prompt for the writing model. */
export function promptOf(question: string, passages: readonly Passage[], boundary: string): Prompt {
  return {
    system: `You answer a question from numbered passages, in the language of the question.

${aboutBlocks(boundary)}

Rules
- Say only what the passages say. If they do not answer the question, return no statements.
- Each statement is one short, complete sentence without citation markers, links or markup.
- Each statement names the passages that it rests on, with a quote copied from that passage character for character: a whole clause or sentence, not single words.
- Reply with JSON alone, in this form: {"statements": [{"text": "...", "sources": [{"passage": 1, "quote": "..."}]}]}`,
    prompt: `${blocksOf(passages, boundary)}\n\nQuestion: ${question}`,
  }
}
