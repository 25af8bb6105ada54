import { describe, expect, it } from 'vitest'
import type { AnswerWriter } from '../../src/ports/models/answer-writer.ts'

export const passages = [
  { text: 'The lighthouse keeper lights the lamp at dusk. The lamp burns whale oil.', score: 0.9 },
  { text: 'Ferries leave the harbour twice a day.', score: 0.2 },
]

/** The contract of the answer writer port, for every provider. */
export function answerWriterContract(name: string, create: () => Promise<AnswerWriter>): void {
  describe(`answer writer: ${name}`, () => {
    it('answers from the passages, with sources that stand in them', async () => {
      const writer = await create()
      expect(writer.model).not.toBe('')
      const statements = await writer.write('When does the keeper light the lamp?', passages)
      expect(statements.map(({ text }) => text).join(' ')).toContain('dusk')
      for (const { text, sources } of statements) {
        expect(text.trim()).not.toBe('')
        expect(sources.length).toBeGreaterThan(0)
        for (const { passage, quote, start } of sources) {
          expect(passages[passage]?.text.slice(start, start + quote.length)).toBe(quote)
        }
      }
    })

    it('answers nothing where the passages hold nothing of it', async () => {
      const unrelated = [{ text: 'Ferries leave the harbour twice a day.', score: 0 }]
      expect(await (await create()).write('Who painted the ceiling?', unrelated)).toEqual([])
    })
  })
}
