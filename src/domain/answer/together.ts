import type { Sentence } from './candidates.ts'
import type { Evidence } from './evidence.ts'
import { relatedTo } from './related-words.ts'

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
      abbreviates: (acronym) => views.some((view) => view.abbreviates(acronym)),
      joins: (one, other) => views.some((view) => view.joins(one, other)),
    },
  }
}
