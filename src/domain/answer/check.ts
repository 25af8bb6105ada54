import type { Source, Statement } from '../../ports/models/answer-writer.ts'
import type { Entailment } from '../../ports/models/entailment.ts'
import { mapInSlices } from '../../slices/slices.ts'
import { sentences } from '../text/sentences.ts'
import type { HitPassage } from './passages.ts'

/** A statement that was accepted: its sources are verbatim quotes, and it follows from their surroundings. */
export interface Checked extends Statement {
  /** 0..1. */
  faithfulness: number
}

/** How much of the passage around a quote is read with it, in UTF-16 units on each side. */
const surroundings = 300

/** Keeps statements that can be cited and are supported, from any writer. `removed` counts the rest. */
export async function check(
  entailment: Entailment,
  statements: readonly Statement[],
  passages: readonly HitPassage[],
): Promise<{ kept: Checked[]; removed: number }> {
  const cited = statements
    .map((statement) => ({ ...statement, sources: statement.sources.filter((source) => isVerbatim(source, passages)) }))
    .filter(({ text, sources }) => text.trim() !== '' && sources.length > 0)
  const pairs = await mapInSlices(cited, ({ text, sources }) => ({
    premise: sources.map((source) => around(source, passages)).join('\n'),
    hypothesis: text,
  }))
  const scores = await entailment.score(pairs)
  const kept = cited
    .map((statement, i) => ({ ...statement, faithfulness: scores[i] ?? 0 }))
    .filter(({ faithfulness }) => faithfulness >= entailment.threshold)
  return { kept, removed: statements.length - kept.length }
}

const isVerbatim = ({ passage, quote, start }: Source, passages: readonly HitPassage[]) =>
  quote.trim() !== '' && quote.isWellFormed() && passages[passage]?.text.slice(start, start + quote.length) === quote

/** The quote with its surroundings, from the first to the last whole word. */
function around({ passage, quote, start }: Source, passages: readonly HitPassage[]): string {
  const text = passages[passage]?.text ?? ''
  const before = text.slice(Math.max(0, start - surroundings), start)
  const after = text.slice(start + quote.length, start + quote.length + surroundings)
  const head = start > surroundings ? before.replace(/^\S*/u, '') : before
  const tail = start + quote.length + surroundings < text.length ? after.replace(/\S*$/u, '') : after
  // A quote of whole sentences gets its own lines, however the text around it is cut.
  return isWhole(text, start, start + quote.length) ? `${head}\n${quote}\n${tail}` : `${head}${quote}${tail}`
}

/** Uses the same sentence boundaries as the extracts. A text is at most as long as a passage. */
function isWhole(text: string, start: number, end: number): boolean {
  const spans = sentences(text)
  return spans.some((span) => span.start === start) && spans.some((span) => span.end === end)
}
