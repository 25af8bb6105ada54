import { languageName } from '../../model/language.ts'
import type { LegExplanation } from '../../model/search.ts'
import type { Unit } from '../../model/unit.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { Highlight, Sought } from '../../ports/indexes/text-index.ts'
import type { Candidates, Leg, RankingDeps } from './candidates.ts'

/** What a hit was found by. */
interface FoundBy {
  unit: Unit
  explain: readonly LegExplanation[]
  /** In the Unit's text. */
  highlights: readonly Highlight[]
}

const maxWords = 5

/** Says for each hit of a query, in words, what found it and what did not. */
export function reasonsFor(
  { texts, inference, analysis }: RankingDeps,
  sought: Sought,
  { legs, degraded }: Candidates,
): (hit: FoundBy) => string[] {
  const { text: q } = sought
  const byName = new Map(legs.map((leg) => [leg.name, leg]))
  const nearest = ({ leg: name, score }: LegExplanation) => {
    const leg = byName.get(name)
    return leg?.kind === 'picture' ? nearPicture(leg, score) : `near the vector of the query (${short(score)})`
  }
  if (q.trim() === '') return ({ explain }) => explain.filter(({ leg }) => leg !== 'filter').map(nearest)
  return ({ unit, explain, highlights }) => {
    // That letters are alike says nothing beside a word.
    const told = explain.filter(({ leg }) => explain.length === 1 || byName.get(leg)?.kind !== 'fallback')
    const reasons = told.map((one) => {
      const leg = byName.get(one.leg)
      if (leg === undefined || leg.kind === 'text') {
        const inTitle = unit.title === null ? [] : texts.highlights(sought, unit.title)
        return byWords([...wordsIn(unit.title ?? '', inTitle), ...wordsIn(unit.text ?? '', highlights)])
      }
      if (leg.kind === 'picture') return nearPicture(leg, one.score)
      return leg.kind === 'fallback' ? 'found by similar spelling' : byMeaning(leg, one.score)
    })
    const isNear = explain.some(({ leg }) => byName.get(leg)?.kind === 'vector')
    if (isNear) return reasons
    const own = `vector:${unit.plane}`
    if (degraded.some((name) => name === own || name.startsWith(`${own}:`))) {
      return [...reasons, 'meaning not used: the model failed']
    }
    const leg = byName.get(own)
    if (leg?.kind !== 'vector') return [...reasons, 'meaning not used: no model']
    const languages = inference.model(unit.plane).cosines?.languages
    const foreign = languages && unknownLanguage(analysis, q, languages)
    if (foreign) return [...reasons, `meaning not used: ${shortName(leg)} does not understand ${foreign}`]
    return [...reasons, 'not near in meaning']
  }
}

const nearPicture = (leg: Leg, cosine: number) => `like the picture (${short(cosine)} of 1 in ${shortName(leg)})`

function byWords(found: readonly string[]): string {
  const words = [...new Set(found.map((word) => word.toLowerCase()))]
  if (words.length === 0) return 'found by parts of words'
  const shown = words.slice(0, maxWords).map((word) => `“${word}”`)
  const more = words.length > maxWords ? ` and ${words.length - maxWords} more` : ''
  return `found by the word${words.length > 1 ? 's' : ''} ${shown.join(', ')}${more}`
}

const wordsIn = (text: string, places: readonly Highlight[]) => places.map(({ start, end }) => text.slice(start, end))

/** The cosine, and what it is worth in this model, whose unrelated texts are below its floor. */
function byMeaning(leg: Leg, cosine: number): string {
  const { sameLanguage: floor } = leg.floor
  if (floor === 0) return `found by meaning (${short(cosine)} of 1 in ${shortName(leg)})`
  return `found by meaning (${short(cosine)}, ${strength((cosine - floor) / (1 - floor))} for ${shortName(leg)})`
}

/** Of the way from the floor to identity: half of what answers a query is above a third of it, with both models measured. */
const strength = (share: number) => (share >= 0.35 ? 'strong' : share >= 0.15 ? 'fair' : 'weak')

/** Without the dimensions and the engine. */
const shortName = ({ model }: Leg) => model.replace(/@[^@]*$/, '')

const short = (value: number) => value.toFixed(2).replace(/^(-?)0\./, '$1.')

/** The name of the query's language, if the model does not understand it. */
function unknownLanguage(analysis: TextAnalysis, q: string, languages: readonly string[]): string | null {
  const language = analysis.language(q, 'query')
  if (language === null || languages.includes(language)) return null
  return language === 'und' ? 'this script' : languageName(language)
}
