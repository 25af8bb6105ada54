import { createHash } from 'node:crypto'
import { mapInSlices } from '../../async/pieces.ts'
import type { Answer, AnswerSentence, AnswerStep, AnswerTrace, Citation } from '../../model/answer.ts'
import type { Hit } from '../../model/search.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { AnswerWriter, Passage, Source, Statement } from '../../ports/models/answer-writer.ts'
import type { Entailment } from '../../ports/models/entailment.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { sentences } from '../text/sentences.ts'
import { addressesIn } from '../text/words.ts'
import type { Deadlines } from '../turns/turns.ts'
import { type HitPassage, passagesOf } from './passages.ts'
import { analyseQuestion } from './question.ts'
import { quotable } from './quotable-sentences.ts'
import { confidence } from './relevance.ts'

type Deps = Pick<Bindings, 'writer' | 'entailment' | 'fallbacks' | 'analysis' | 'log'>

export interface Answered {
  answer: Answer
  trace: AnswerTrace
  /** Stages whose provider failed: the built-in one replaced it, or there is no answer. */
  degraded: string[]
}

/** What an answer rests on. */
interface AnswerContext {
  /** Those of the question's own search first. */
  hits: readonly Hit[]
  /** How many of them are of the question's own search. */
  own: number
  steps: AnswerStep[]
}

/** Always the same text, so that it reveals nothing about the hits. */
const abstention = 'The documents found do not answer this question.'

/**
 * Answers only from these hits: they are what the caller may see. Below `minConfidence`, 0..1, it abstains; without one
 * the writer decides.
 */
export async function answerHits(
  deps: Deps,
  question: string,
  { hits, own, steps }: AnswerContext,
  deadlines: Deadlines,
  minConfidence?: number,
): Promise<Answered> {
  const started = performance.now()
  const passages = passagesOf(hits, own)
  const written = await write(deps, question, passages, deadlines.forWriting(), minConfidence)
  const judged = await judge(deps, written.statements, passages, deadlines.forJudging())
  const confidence = confidenceOf(deps.analysis, question, passages, judged.kept)
  const kept = (confidence ?? 0) < (minConfidence ?? 0) ? [] : judged.kept
  const scores = kept.map(({ faithfulness }) => faithfulness)
  const abstained = kept.length === 0
  const answer: Answer = {
    ...(abstained ? { text: abstention, sentences: [], citations: [] } : await compose(kept, passages)),
    nliFaithfulness: abstained ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
    confidence: abstained ? null : confidence,
    faithfulness: { method: judged.method, min: abstained ? null : Math.min(...scores), unsupported: [] },
    abstained,
    model: written.model,
  }
  return {
    answer,
    trace: {
      passages: passages.length,
      removed: written.removed + judged.removed,
      steps,
      tookMs: performance.now() - started,
    },
    degraded: [...(written.failed ? ['answer'] : []), ...(judged.failed ? ['entailment'] : [])],
  }
}

/** Nobody reads a longer answer, and each of them is compared with its passages. */
const maxStatements = 50

interface Written {
  statements: Statement[]
  /** Statements that were removed before a judge saw them. */
  removed: number
  model: string
  /** The configured writer failed. */
  failed: boolean
}

interface Judged {
  kept: Checked[]
  removed: number
  method: string
  failed: boolean
}

/** Writes an answer in single sentences. If the writer fails, the fallback writes; if both fail, it is empty. */
async function write(
  { writer, fallbacks, log }: Pick<Bindings, 'writer' | 'fallbacks' | 'log'>,
  question: string,
  passages: readonly Passage[],
  signal: AbortSignal,
  minConfidence?: number,
): Promise<Written> {
  const by = async (writing: AnswerWriter, failed: boolean): Promise<Written> => {
    const written = passages.length === 0 ? [] : await writing.write(question, passages, signal, minConfidence)
    const kept = withoutStrayLinks(written, passages)
    const single = bySentence(kept)
    const statements = single.slice(0, maxStatements)
    const removed = written.length - kept.length + single.length - statements.length
    return { statements, removed, model: writing.model, failed }
  }
  try {
    return await by(writer, false)
  } catch (error) {
    log.warn({ err: error, model: writer.model }, 'no answer could be written')
    const none = { statements: [], removed: 0, model: writer.model, failed: true }
    return fallbacks.writer ? by(fallbacks.writer, true) : none
  }
}

/** Keeps the supported statements. If the judge fails, the fallback judges; if both fail, none is kept. */
async function judge(
  { entailment, fallbacks, log }: Pick<Bindings, 'entailment' | 'fallbacks' | 'log'>,
  statements: readonly Statement[],
  passages: readonly HitPassage[],
  signal: AbortSignal,
): Promise<Judged> {
  const by = async (judging: Entailment, failed: boolean): Promise<Judged> => {
    const bounded: Entailment = { ...judging, score: (pairs) => judging.score(pairs, signal) }
    return { ...(await check(bounded, statements, passages)), method: judging.method, failed }
  }
  try {
    return await by(entailment, false)
  } catch (error) {
    log.warn({ err: error, method: entailment.method }, 'an answer could not be judged')
    const none = { kept: [], removed: statements.length, method: entailment.method, failed: true }
    return fallbacks.entailment ? by(fallbacks.entailment, true) : none
  }
}

const markup = /!?\[[^\]]{0,1000}\]\([^)]{0,1000}\)|<[a-z/!][^>]{0,1000}>/giu

/**
 * Drops statements with an address or markup that none of their passages contains. The other words may cover a sentence
 * so well that it counts as supported, and an address can leak the question. Pure quotes stay.
 */
function withoutStrayLinks(statements: readonly Statement[], passages: readonly Passage[]): Statement[] {
  return statements.filter(({ text, sources }) => {
    if (sources.some(({ quote }) => quote === text)) return true
    const said = sources.map(({ passage }) => passages[passage]?.text ?? '')
    const known = said.flatMap(addressesIn)
    return (
      addressesIn(text).every((address) => known.includes(address)) &&
      (text.match(markup) ?? []).every((piece) => said.some((passage) => passage.includes(piece)))
    )
  })
}

/** Makes one statement of each sentence: a supported one could hide an unsupported one. Pure quotes stay whole. */
const bySentence = (statements: readonly Statement[]): Statement[] =>
  statements.flatMap((statement) => {
    const { text, sources } = statement
    const spans = sentences(text)
    // A statement without a sentence is removed and counted, like any other empty one.
    if (spans.length === 0 || sources.some(({ quote }) => quote === text)) return [statement]
    return spans.map(({ start, end }) => ({ text: text.slice(start, end), sources }))
  })

/** A statement that was accepted: its sources are verbatim quotes, and it follows from their surroundings. */
interface Checked extends Statement {
  /** 0..1. */
  faithfulness: number
}

/** How much of the passage around a quote is read with it, in UTF-16 units on each side. */
const surroundings = 300

/** Keeps statements that can be cited and are supported, from any writer. `removed` counts the rest. */
async function check(
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

/**
 * The probability that statements answer the question, 0..1; null without statements. From the writer where it says one:
 * the mean over what it answers. Otherwise from the cited sentences: for each part of the question that of the best one.
 */
function confidenceOf(
  analysis: TextAnalysis,
  question: string,
  passages: readonly Passage[],
  statements: readonly Statement[],
): number | null {
  if (statements.length === 0) return null
  const said = statements.flatMap(({ confidence }) => confidence ?? [])
  if (said.length === statements.length) return mean(said)
  const sources = statements.flatMap((statement) => statement.sources)
  const used = new Set(sources.map(({ passage }) => passage))
  const cited = quotable(analysis, passages, used).filter(({ passage, start, quote }) =>
    sources.some(
      (source) =>
        source.passage === passage && source.start < start + quote.length && start < source.start + source.quote.length,
    ),
  )
  if (cited.length === 0) return 0
  return mean(
    analyseQuestion(analysis, question).map((part) => Math.max(...cited.map((sentence) => confidence(part, sentence)))),
  )
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Text that could be mistaken for a marker: only numbers in brackets, in any script, with any separators. */
const bracketed = /\[([\s\p{Cf}\p{Pd},;.:]*\p{N}[\s\p{Cf}\p{N}\p{Pd},;.:]*)\]/gu

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** `see [3]` becomes `see \[3\]`: only the answer's own markers are `[n]`. */
const escapeMarkers = (text: string) => text.replace(bracketed, '\\[$1\\]')

/** Joins the statements on one line, each followed by its markers; one citation for each piece of text. */
async function compose(statements: readonly Checked[], passages: readonly HitPassage[]) {
  const cited = new Set(
    statements.flatMap(({ sources }) => sources.map(({ passage }) => passages[passage]?.hit.text ?? '')),
  )
  // A text may be a megabyte long.
  const hashes = new Map(await mapInSlices([...cited], (text) => [text, sha256(text)] as const))
  const citations = new Map<string, Citation>()
  const cite = (source: Source): Citation => {
    const passage = passages[source.passage]
    if (!passage) throw new Error('a source was not checked')
    const start = passage.offset + source.start
    const end = start + source.quote.length
    const { unitId, text, locator, sourceUri } = passage.hit
    if (text?.slice(start, end) !== source.quote) throw new Error('a quote is not in its Unit')
    const key = `${unitId} ${start} ${end}`
    const known = citations.get(key)
    if (known) return known
    const marker = citations.size + 1
    const hash = hashes.get(text) ?? sha256(text)
    const citation = { marker, unitId, quote: source.quote, start, end, sha256: hash, locator, sourceUri }
    citations.set(key, citation)
    return citation
  }
  const sentences = statements.map(({ text, sources, faithfulness }, index): AnswerSentence => {
    const cited = [...new Set(sources.map(cite))]
    const markers = cited.map(({ marker }) => `[${marker}]`).join('')
    return {
      index,
      text: `${escapeMarkers(text.trim().replace(/\s+/gu, ' '))} ${markers}`,
      citations: cited,
      faithfulness,
    }
  })
  return { text: sentences.map(({ text }) => text).join(' '), sentences, citations: [...citations.values()] }
}
