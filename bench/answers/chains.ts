import { type Relation, relations } from './chain-relations.ts'
import { type Draw, drawsOf, filled, passageOf, type Thing, worldOf } from './chain-world.ts'

export interface Question {
  question: string
  answer: string
  /** The ids of the documents that it takes. */
  supporting: string[]
}

export interface Questions {
  name: string
  documents: { id: string; title: string; text: string }[]
  questions: Question[]
}

const questionsEach = 40
const lengths = [2, 3, 4]
/** What a question may begin with: things that many questions could be about have no name of their own. */
const beginnings = new Set(['film', 'album', 'paper', 'company', 'person'])

/** Questions over a world with made-up names, each of which takes two to four passages that lead from one to the next. */
export function chains(seed: number): Questions[] {
  const draw = drawsOf(seed)
  const things = worldOf(draw)
  const documents = things.map((thing) => ({ id: thing.id, title: thing.name, text: passageOf(thing, things, draw) }))
  return lengths.map((length) => ({
    name: `chains-${length}`,
    documents,
    questions: Array.from({ length: questionsEach }, () => questionOf(things, length, draw)),
  }))
}

function questionOf(things: readonly Thing[], length: number, draw: Draw): Question {
  let at: Thing = draw(things.filter(({ kind }) => beginnings.has(kind)))
  let described = at.name
  const supporting = [at.id]
  for (let left = length; left > 1; left--) {
    const [relation, next] = draw(leadingOn(at, left))
    described = filled(draw(relations[relation].meant as readonly string[]), described)
    supporting.push(next.id)
    at = next
  }
  const [relation, answer] = draw([...at.facts])
  return {
    question: filled(draw(relations[relation].asked), described),
    answer: typeof answer === 'string' ? answer : answer.name,
    supporting,
  }
}

/** The relations to things; a country is known by its capital alone, so no chain stays there. */
const leadingOn = ({ facts }: Thing, left: number): [Relation, Thing][] =>
  [...facts].flatMap(([relation, to]) =>
    typeof to === 'string' || (to.kind === 'country' && left > 2) ? [] : [[relation, to] as [Relation, Thing]],
  )
