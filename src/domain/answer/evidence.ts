import { mainHeading } from '../../model/unit.ts'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { Passage } from '../../ports/models/answer-writer.ts'
import { atJoints, type NamedThing, namesIn } from './names.ts'
import { quotable, type Sentence } from './quotable-sentences.ts'
import { relatedTo } from './related-words.ts'

/** A sentence, with the names that link it to sentences of other passages. */
export interface Evidence extends Sentence {
  /** What its passage is about: its title, or the name that it begins with. */
  subject: Subject
  names: readonly NamedThing[]
}

interface Subject {
  text: string
  terms: ReadonlySet<string>
}

/** A sentence with more names is a list: it is linked by the first ones only. */
const maxNames = 12
const titleWords = 12
const closed = /[.!?…。！？।:;,]["'”’)\]]*$/u
/** The subject stands within this many characters of the beginning. */
const opening = 60

/** The sentences of the passages that an answer may quote; entries, such as rows of tables, only where they are wanted. */
export function evidenceOf(analysis: TextAnalysis, passages: readonly Passage[], withEntries = false): Evidence[] {
  const subjects = passages.map((passage) => subjectOf(analysis, passage))
  const sentences = quotable(analysis, passages).filter(({ form }) => withEntries || form !== 'entry')
  return sentences.map((sentence) => {
    // The names of a sentence end with it, even where the next one begins with a name.
    const words = analysis.words(sentence.quote)
    const names = namesIn(sentence.quote, words)
      .flatMap((name) => apart(name, sentence.quote, words))
      .slice(0, maxNames)
    return { ...sentence, subject: subjects[sentence.passage] ?? nothing, names }
  })
}

/** `Ed Roland and Adam Duritz` is two names, `Trinidad and Tobago` is one. */
function apart(name: NamedThing, text: string, words: readonly Word[]): NamedThing[] {
  const parts = atJoints(name, text, words)
  return parts.every(({ terms }) => terms.length > 1) ? parts : [name]
}

const nothing: Subject = { text: '', terms: new Set() }

function subjectOf(analysis: TextAnalysis, { text, title }: Passage): Subject {
  const line = text.slice(0, text.indexOf('\n') < 0 ? 0 : text.indexOf('\n'))
  const headed = headingOf(analysis, mainHeading(title ?? '')) ?? headingOf(analysis, line)
  if (headed) return headed
  const first = namesIn(text, analysis.words(text)).find(({ start }) => start <= opening)
  return first ? { text: first.text, terms: new Set(first.terms) } : nothing
}

/** What a heading names; null for a line that is not a heading. */
function headingOf(analysis: TextAnalysis, line: string): Subject | null {
  const heading = line.trim()
  const words = analysis.words(heading)
  if (words.length === 0 || words.length > titleWords || closed.test(heading)) return null
  // `Ruin (film)`: what stands in brackets tells things of one name apart.
  const name = heading.replace(/\s*[([].*$/u, '') || heading
  return { text: name, terms: new Set(analysis.words(name).flatMap(({ term, stop }) => (stop ? [] : [term]))) }
}

/** Sentences of several passages as one: what one of them says, or is about, all say. Null without any. */
export function together(all: readonly Evidence[]): Sentence | null {
  const [first] = all
  if (!first) return null
  const views = all.map(({ from }) => from)
  const isAbout = (term: string) => all.some(({ subject }) => subject.terms.has(term))
  return {
    ...first,
    quote: all.map(({ quote }) => quote).join(' '),
    context: all.map(({ context }) => context).join(' '),
    terms: new Set(all.flatMap(({ terms }) => [...terms])),
    speaksOf: (term) => isAbout(term) || all.some((one) => one.speaksOf(term)),
    isNear: (term) => isAbout(term) || all.some((one) => one.isNear(term)),
    from: {
      score: Math.max(...views.map(({ score }) => score)),
      ahead: Math.max(...views.map(({ ahead }) => ahead)),
      formsOf: (term) => new Set(views.flatMap((view) => [...view.formsOf(term)])),
      // A passage tells of a spouse where it says `married`.
      speaksOf: (term) => [term, ...relatedTo(term)].some((word) => views.some((view) => view.speaksOf(word))),
      joins: (one, other) => views.some((view) => view.joins(one, other)),
    },
  }
}
