import { addressesIn } from '../text/words.ts'
import type { Evidence } from './evidence.ts'
import type { SubQuestion } from './question.ts'
import type { Sentence } from './quotable-sentences.ts'
import { fits } from './relevance.ts'

/** What a question looks like, in the languages whose words are known. Anything else is a list of words to find. */
const asking =
  /[?？؟]|^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|will|list|name|tell|describe|explain|show|give)\b/iu

/** Words for the kind of thing that a question wants, with what such a thing has; the first one of a question counts. */
const kinds: readonly [RegExp, (text: string) => boolean][] = [
  [/^(?:telephone|phone|fax)$/u, (text) => /\p{Nd}[\p{Nd}\s().-]{4,}/u.test(text)],
  [/^(?:e|mail|email)$/u, (text) => text.includes('@')],
  [/^(?:website|url|link)$/u, (text) => addressesIn(text).length > 0],
  [/^(?:address|addresses|located|location|contact)$/u, (text) => /\p{Nd}/u.test(text)],
  [/^(?:list|name|names|called|table|give|show|people|details)$/u, () => true],
]

/** `Which states …`, `What articles …`, `What is the capital of …`, `Who …`, `Where is …`, and their like. */
const forEntries =
  /\b(?:which|who|whom|whose|list|names?|address|phone|telephone|e-?mail|contact|website)\b|\bwhat(?:['’]s|\s+(?:is|are|was|were))\s+(?:the|its|their|his|her|your|our)\b|\bwhat\s+(?!(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|happen|cause)\p{L}*\b)\p{L}+|\bwhere\s+(?:is|are|was|were)\b|\b(?:welche[rsnm]?|wer|wo|qui|quels?|quelles?|quién(?:es)?|cuál(?:es)?|wie viele?|wann|combien|quand|cuánt[oa]s?|cuándo)\b|кто|какие|сколько|когда|哪|谁|多少|几/iu

/**
 * The stretches of text that may be quoted for a question: sentences, and entries if the question asks for such a thing and
 * they have one. Where a sentence of the same passage says what an entry leaves open, the entry is its context. Words without
 * a question ask for nothing: they get any line except a heading.
 */
export function quotableFor(part: SubQuestion, all: readonly Evidence[]): Evidence[] {
  if (!asking.test(part.text)) return all.filter(({ form }) => form !== 'entry')
  const apart = new Set(kinds.flatMap((kind) => termsOf(part, kind)))
  const sentences = Map.groupBy(
    all.filter(({ form }) => form === 'sentence'),
    ({ passage }) => passage,
  )
  const context = new Map<Evidence, Evidence[]>()
  const entries = new Set<Evidence>()
  for (const one of all) {
    if (one.form !== 'entry' || !isAskedFor(part, apart, one)) continue
    const open = lacking(part, apart, one)
    const better = (sentences.get(one.passage) ?? []).filter(({ speaksOf }) => open.some(speaksOf))
    for (const sentence of better) {
      const known = context.get(sentence)
      if (known) known.push(one)
      else context.set(sentence, [one])
    }
    if (better.length === 0) entries.add(one)
  }
  return all
    .filter((one) => one.form === 'sentence' || entries.has(one))
    .map((one) => {
      const own = context.get(one)
      return own ? within(one, own) : one
    })
}

/** The words of the question that neither an entry has nor what it is about, besides names and those `apart`, for kinds of things. */
const lacking = (part: SubQuestion, apart: ReadonlySet<string>, { speaksOf, subject }: Evidence): string[] =>
  part.terms.flatMap(({ term, weight, isName }) =>
    weight < 1 || isName || apart.has(term) || speaksOf(term) || subject.terms.has(term) ? [] : [term],
  )

/** The words of the question for a kind of thing. */
const termsOf = ({ words, text }: SubQuestion, [name]: (typeof kinds)[number]): string[] =>
  words.flatMap(({ term, start, end }) => (name.test(text.slice(start, end).toLowerCase()) ? [term] : []))

/** A sentence that speaks of what its context names, too. */
const within = (one: Evidence, context: readonly Evidence[]): Evidence => ({
  ...one,
  speaksOf: (term) => one.speaksOf(term) || context.some((entry) => entry.speaksOf(term)),
})

function isAskedFor(part: SubQuestion, apart: ReadonlySet<string>, one: Sentence): boolean {
  if (part.expects === 'number' || part.expects === 'time') return holdsFigure(part, one)
  if (part.expects === 'reason' || !forEntries.test(part.text)) return false
  const wanted = kinds.find((kind) => termsOf(part, kind).length > 0)
  if (wanted && !wanted[1](one.quote)) return false
  // A list answers only where its text is about all that the question says.
  return part.terms.every(({ term, weight }) => weight < 1 || apart.has(term) || one.from.speaksOf(term))
}

/**
 * Whether it has a word of the question itself, and a figure that the question lacks. Where a number is wanted, years do not
 * count: they stand above columns.
 */
function holdsFigure(part: SubQuestion, one: Sentence): boolean {
  const saysItself = ({ term }: { term: string }) => [...one.from.formsOf(term)].some((form) => one.terms.has(form))
  if (!fits(part, one) || !part.terms.some(saysItself)) return false
  const figures = one.quote.match(/\p{Nd}[\p{Nd}.,:]*/gu) ?? []
  const isYear = /^(?:1\p{Nd}|20)\p{Nd}{2}$/u
  return figures.some((figure) => !part.text.includes(figure) && (part.expects === 'time' || !isYear.test(figure)))
}
