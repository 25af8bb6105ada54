import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { AnswerWriter } from '../../ports/models/answer-writer.ts'
import { changesScope } from '../faithfulness/word-classes.ts'
import { contentTerms } from '../text/words.ts'
import { chainFor, sharesOf, tellsOf } from './chain.ts'
import { bestBy, comparedIn } from './compared.ts'
import { quotableFor } from './entries.ts'
import { type Evidence, evidenceOf, together } from './evidence.ts'
import { namesIn } from './names.ts'
import { analyseQuestion, type SubQuestion } from './question.ts'
import type { Sentence } from './quotable-sentences.ts'
import { confidence, fits, mayBeAbout, mayHold } from './relevance.ts'
import { bestTrail } from './trails.ts'

const wholeShare = 0.97
/**
 * The least confidence for an answer. It keeps most answers, and withholds a third of those whose evidence is missing:
 * the figures are in `bench/RESULTS.md`.
 */
const defaultMinConfidence = 0.33

/** Answers with sentences of the passages, word for word; instructions in them are treated as plain text. */
export function createExtractiveWriter(analysis: TextAnalysis): AnswerWriter {
  return {
    model: 'extractive',
    write: async (question, passages, _signal, minConfidence = defaultMinConfidence) => {
      const all = evidenceOf(analysis, passages, true)
      const chosen = analyseQuestion(analysis, question).flatMap((part) => {
        const linked = quotableFor(part, all)
        const found = linked.filter(({ passage }) => !passages[passage]?.followUp)
        return sentencesFor(analysis, question, part, { linked, found, minConfidence }).flatMap(withHeader)
      })
      // One sentence may answer several parts, and documents repeat each other.
      return inReadingOrder(distinctFacts(analysis, chosen)).map(({ quote, passage, start, confidence }) => ({
        text: quote,
        sources: [{ passage, quote, start }],
        confidence,
      }))
    },
  }
}

/** A row of a table means little without its first row. */
const withHeader = <T extends Sentence>(one: T): T[] =>
  one.header ? [{ ...one, ...one.header, header: null }, one] : [one]

interface From {
  linked: readonly Evidence[]
  /** Those that the question's own search found. */
  found: readonly Evidence[]
  minConfidence: number
}

/** The sentences that answer a part of the question, each with the confidence of all; none below the least confidence. */
function sentencesFor(analysis: TextAnalysis, question: string, part: SubQuestion, from: From) {
  const { linked, found, minConfidence } = from
  const shares = sharesOf(part, linked)
  // What other questions found does not make this one answerable, unless it is about a thing that this one names.
  const [best, ...rest] = selectFor(part, found, minConfidence)
  const sides = comparedIn(analysis, question, part, linked, shares)
  const walked = bestTrail(analysis, part, linked)?.sentences ?? []
  const likely = Math.max(best ? confidence(part, best) : 0, ofAll(part, sides), ofAll(part, walked))
  if (likely < minConfidence) return []
  // One passage that speaks of the whole question needs no others.
  const chain = best && tellsOf(part, shares, best) < wholeShare ? chainFor(part, linked, shares) : null
  const told = [...(best ? [best] : []), ...(chain?.sentences ?? []), ...walked, ...sides]
  const confident = withoutNames(analysis, part, told, likely)
  if (confident < minConfidence) return []
  return [...told, ...completing(part, linked, told, shares), ...rest].map((sentence) => ({
    ...sentence,
    confidence: confident,
  }))
}

/** The probability that sentences of several passages answer together. */
function ofAll(part: SubQuestion, sentences: readonly Evidence[]): number {
  const all = together(sentences)
  return all && mayBeAbout(part, all) ? confidence(part, all) : 0
}

/** Sentences of one passage stay together, in the order of the passage; passages stay in the chosen order. */
const inReadingOrder = <T extends Sentence>(chosen: readonly T[]): T[] =>
  Map.groupBy(chosen, ({ passage }) => passage)
    .values()
    .flatMap((sentences) => sentences.sort((a, b) => a.start - b.start))
    .toArray()

/** The share of the question that a further sentence must add. */
const minAdded = 0.08
const maxAdded = 2

/**
 * Further sentences of the passages that an answer cites: those with terms of the question that no chosen sentence has. A
 * passage may be cited for what it is about, and answer in another sentence. `shares` are those of the terms.
 */
function completing<T extends Sentence>(
  part: SubQuestion,
  pool: readonly T[],
  chosen: readonly T[],
  shares: readonly number[],
): T[] {
  const cited = new Set(chosen.map(({ passage }) => passage))
  const beside = pool.filter((one) => cited.has(one.passage) && !chosen.includes(one))
  const added: T[] = []
  while (added.length < maxAdded) {
    const said = [...chosen, ...added]
    const open = part.terms.map(({ term }, i) =>
      said.some((sentence) => sentence.speaksOf(term)) ? 0 : (shares[i] ?? 0),
    )
    const gain = (one: T) => part.terms.reduce((sum, { term }, i) => sum + (one.speaksOf(term) ? (open[i] ?? 0) : 0), 0)
    const best = bestBy(
      beside.filter((one) => !added.includes(one)),
      gain,
    )
    if (!best || best.worth < minAdded) break
    added.push(best.item)
  }
  return added
}

/** What a sentence says, word by word. */
interface Fact {
  /** Its content terms in order. */
  content: readonly string[]
  /** The words that negate, limit or hedge it, in order. */
  scope: string
}

/**
 * One sentence for each fact, best first: without those of which an earlier one has all content words in the same order,
 * and denies and limits the same. Another order, or one other word, may be another fact.
 */
function distinctFacts<T extends Sentence>(analysis: TextAnalysis, sentences: readonly T[]): T[] {
  const kept: { sentence: T; said: Fact }[] = []
  for (const sentence of sentences) {
    const said = saidIn(analysis, sentence.quote)
    if (!kept.some((earlier) => repeats(said, earlier.said))) kept.push({ sentence, said })
  }
  return kept.map(({ sentence }) => sentence)
}

function saidIn(analysis: TextAnalysis, quote: string): Fact {
  const words = analysis.words(quote)
  // The analysis splits `don't` into `don` and `t`.
  const isScope = ({ word, term }: Word) => word === 't' || changesScope(word, term)
  return {
    content: contentTerms(words.filter((word) => !isScope(word))),
    scope: words
      .filter(isScope)
      .map(({ term }) => term)
      .join(' '),
  }
}

function repeats({ content, scope }: Fact, earlier: Fact): boolean {
  if (scope !== earlier.scope) return false
  let reached = 0
  for (const term of earlier.content) if (term === content[reached]) reached += 1
  return reached === content.length
}

/** What a name of the question costs that no cited passage has in full, in the logarithm of the odds. */
const price = 0.7

/**
 * The confidence in sentences, less for each name of the question that none of their passages has in full: `Kate Ramsay`
 * is not any Kate. In other languages names are inflected, and transcripts mishear them.
 */
function withoutNames(
  analysis: TextAnalysis,
  { isEnglish, text }: SubQuestion,
  sentences: readonly Evidence[],
  confidence: number,
): number {
  if (!isEnglish) return confidence
  const missing = namesIn(text, analysis.words(text)).filter(
    ({ terms }) =>
      !sentences.some(({ from, subject }) => terms.every((term) => from.speaksOf(term) || subject.terms.has(term))),
  )
  return 1 / (1 + ((1 - confidence) / confidence) * Math.exp(price * missing.length))
}

const maxPerPart = 3
/** A further sentence needs this share of the best one's worth, or less if it covers a new part of the question. */
const nearlyBest = 0.85
const minWorth = 0.6
const minNew = 0.15
/** Two sentences that share more of their words say the same. */
const maxShared = 0.6
const fitWorth = 0.15

/** The sentences that answer a part of the question, best first; none of less confidence. */
function selectFor<T extends Sentence>(part: SubQuestion, sentences: readonly T[], minConfidence: number): T[] {
  const total = part.terms.reduce((sum, { weight }) => sum + weight, 0)
  const held = (of: (term: string) => boolean) =>
    part.terms.reduce((sum, { term, weight }) => sum + (of(term) ? weight : 0), 0) / total
  const rated = sentences
    .filter(
      (sentence) =>
        mayBeAbout(part, sentence) &&
        mayHold(part, sentence) &&
        saysMore(part, sentence) &&
        confidence(part, sentence) >= minConfidence,
    )
    .map((sentence) => {
      const fit = fits(part, sentence)
      // Retrieval knows all visible text, so its score counts as much as that of these few sentences.
      const worth = held(sentence.speaksOf) + sentence.from.score + (fit ? fitWorth : 0)
      return { sentence, fit, worth }
    })
    .sort((a, b) => b.worth - a.worth)
  const chosen: T[] = []
  const [best] = rated
  if (!best) return []
  for (const { sentence, fit, worth } of rated) {
    if (chosen.length === maxPerPart || worth < minWorth * best.worth) break
    if (best.fit && !fit) continue
    const added = held((term) => sentence.speaksOf(term) && !chosen.some((other) => other.speaksOf(term)))
    if (worth < nearlyBest * best.worth && added < minNew) continue
    if (chosen.some((other) => saysTheSame(other.terms, sentence.terms))) continue
    chosen.push(sentence)
  }
  return chosen
}

/** Whether a sentence does more than repeat the question, and has a term of this part, not only of another part. */
const saysMore = ({ terms, own }: SubQuestion, sentence: Sentence) =>
  [...sentence.terms].some((said) => !terms.some(({ term }) => term === said)) && own.some(sentence.speaksOf)

/** A denial does not repeat what it denies: the reader should see both. */
const saysTheSame = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  shared(a, b) > maxShared && scopeOf(a) === scopeOf(b)

const scopeOf = (terms: ReadonlySet<string>) =>
  [...terms]
    .filter((term) => changesScope(term, term))
    .sort()
    .join(' ')

/** Jaccard index. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((term) => b.has(term)).length
  return both / (a.size + b.size - both)
}
