import type { Reading } from './reading.ts'

/** Above this share of capitalised words, capitals do not mark names: headlines, or German. */
const maxCapitals = 0.5
const capital = /^\p{Lu}/u

/** Whether the hypothesis names something that the evidence does not, while the evidence names something else. */
export function contradictsByName(hypothesis: Reading, evidence: Reading, whole: Reading): boolean {
  const known = new Set(whole.words.map(({ term }) => term))
  const said = new Set(hypothesis.words.map(({ term }) => term))
  return namesIn(hypothesis).some((name) => !known.has(name)) && namesIn(evidence).some((name) => !said.has(name))
}

/** Capitalised words except the first one, which is always capitalised. */
function namesIn({ text, words }: Reading): string[] {
  const content = words.slice(1).filter(({ stop }) => !stop)
  const names = content.filter(({ start }) => capital.test(text.slice(start, start + 2)))
  return names.length > content.length * maxCapitals ? [] : names.map(({ term }) => term)
}
