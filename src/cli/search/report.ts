import { z } from 'zod'

/** The parts of a search's response that the terminal shows. */
export const found = z.object({
  hits: z.array(
    z.object({
      rank: z.number(),
      score: z.number(),
      plane: z.string(),
      unit_id: z.string(),
      text: z.string().nullable(),
    }),
  ),
  answer: z.object({ text: z.string() }).nullable(),
})

const maxText = 100

/** The answer, if there is one, and a line per hit. */
export function report({ hits, answer }: z.output<typeof found>): string {
  const lines = hits.map(({ rank, score, plane, unit_id, text }) =>
    `${String(rank).padStart(2)} ${score.toFixed(3)} ${plane.padEnd(10)} ${unit_id}  ${beginning(text ?? '')}`.trimEnd(),
  )
  return [...(answer === null ? [] : [printable(answer.text), '']), ...(lines.length > 0 ? lines : ['no hits'])].join(
    '\n',
  )
}

function beginning(text: string): string {
  const line = printable(text.slice(0, 4 * maxText))
  return line.length > maxText ? `${line.slice(0, maxText - 1)}…` : line
}

/** On one line, and without what would control a terminal or turn the direction of its text. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
