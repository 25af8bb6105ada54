import type { Evidence } from './evidence.ts'

/** A name that the question has already is a weaker link: many passages hold it. */
const knownWorth = 0.5

/** 0..1: how clearly one sentence names what the passage of the other is about. */
export type Link = (a: Evidence, b: Evidence) => number

/** The links between sentences, each computed once. `asked` are the terms of the question. */
export function linksOf(asked: ReadonlySet<string>): Link {
  const known = new Map<Evidence, Map<Evidence, number>>()
  return (a, b) => {
    const ofA = known.get(a) ?? new Map<Evidence, number>()
    known.set(a, ofA)
    const link = ofA.get(b) ?? Math.max(mentions(a, b, asked), mentions(b, a, asked))
    ofA.set(b, link)
    return link
  }
}

function mentions(a: Evidence, b: Evidence, asked: ReadonlySet<string>): number {
  const subject = b.subject.terms
  let best = 0
  for (const { terms } of a.names) {
    // Passages about the same thing are not linked by its name.
    const both = terms.filter((term) => subject.has(term) && !a.subject.terms.has(term))
    if (both.length === 0) continue
    const worth = both.some((term) => !asked.has(term)) ? 1 : knownWorth
    best = Math.max(best, (worth * both.length) / Math.max(subject.size, terms.length))
  }
  return best
}
