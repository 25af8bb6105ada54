import { below, randomOf } from '../search/random.ts'
import { type Kind, type Relation, relations } from './chain-relations.ts'

/** A thing with a passage of its own. */
export interface Thing {
  id: string
  kind: Kind
  name: string
  /** What it leads to by each relation: another thing, or a year. */
  facts: Map<Relation, Thing | string>
}

const sizes: Record<Kind, number> = {
  film: 60,
  album: 60,
  paper: 30,
  company: 60,
  person: 160,
  school: 30,
  town: 80,
  county: 24,
  country: 6,
}

/** Sentences that answer no question: what passages of each kind tell besides. `{z}` is another thing of any kind. */
const asides: Record<Kind, readonly string[]> = {
  film: [
    'Critics liked the music more than the story.',
    'A scene was shot near {z}.',
    'It won a prize for its camera work.',
  ],
  album: [
    'The cover shows a harbour at night.',
    'Two songs are about {z}.',
    'Reviews were mixed, and sales were slow at first.',
  ],
  paper: ['It comes out on Thursdays.', 'An early editor was {z}.', 'Its archive is open to readers.'],
  company: [
    'It employs four hundred people.',
    'Its largest customer was {z}.',
    'A strike closed its works for a month.',
  ],
  person: [
    'The family kept a shop.',
    'A letter to {z} is kept in a museum.',
    'Friends describe a quiet life and long walks.',
    'A street is named in memory of this time.',
  ],
  school: [
    'Its library burned down once and was built again.',
    'A hall is named after {z}.',
    'It has three faculties.',
  ],
  town: [
    'The market is held on Saturdays.',
    'A road leads from there to {z}.',
    'Its people lived from fishing and wool.',
  ],
  county: ['Most of it is forest.', 'Its best known place is {z}.', 'It has few roads and many lakes.'],
  country: ['Its coast is long and rocky.', 'Trade with {z} matters to it.', 'Two languages are spoken there.'],
}

const starts = 'Bar Cal Dor El Fen Gar Hol Is Jor Kel Lor Mar Nor Or Pel Quil Ros Sel Tor Ul Ven Wil Yar Zan'.split(' ')
const middles = 'a e i o an en il or am es'.split(' ')
const ends = 'bek dan dell fold gren holt ker lund mond nes rick sson tal vik wen zek'.split(' ')
const nouns = 'Lantern Harbour Winter Garden Mirror Bridge Orchard Signal Meadow Anchor Feather Compass'.split(' ')
const adjectives = 'Silent Crooked Golden Northern Hollow Quiet Distant Velvet Second Burning'.split(' ')

const suffixes: Partial<Record<Kind, readonly string[]>> = {
  paper: ['Herald', 'Observer', 'Gazette'],
  company: ['Works', 'Pictures', 'Records', 'Industries'],
  school: ['University', 'College'],
  county: ['County'],
}

export type Draw = <T>(items: readonly T[]) => T

export const drawsOf = (seed: number): Draw => {
  const random = randomOf(seed)
  return (items) => {
    const one = items[below(random, items.length)]
    if (one === undefined) throw new Error('nothing to draw from')
    return one
  }
}

/** A world of things with made-up names: the same for the same draws. */
export function worldOf(draw: Draw): Thing[] {
  const taken = new Set<string>()
  const kinds = Object.keys(sizes) as Kind[]
  const things = kinds.flatMap((kind) =>
    Array.from({ length: sizes[kind] }, (_, i): Thing => {
      let name = nameOf(kind, draw)
      while (taken.has(name)) name = nameOf(kind, draw)
      taken.add(name)
      return { id: `${kind}-${i}`, kind, name, facts: new Map() }
    }),
  )
  const byKind = Map.groupBy(things, ({ kind }) => kind)
  for (const relation of Object.keys(relations) as Relation[]) {
    const { from, to } = relations[relation]
    for (const thing of byKind.get(from) ?? []) {
      const others = to === null ? null : (byKind.get(to) ?? []).filter((other) => other !== thing)
      thing.facts.set(relation, others ? draw(others) : String(1800 + Number(draw(twoDigits))))
    }
  }
  return things
}

const twoDigits = Array.from({ length: 100 }, (_, i) => String(i))

function nameOf(kind: Kind, draw: Draw): string {
  const word = () => `${draw(starts)}${draw(middles)}${draw(ends)}`
  if (kind === 'film' || kind === 'album') return `${draw(adjectives)} ${draw(nouns)} of ${word()}`
  if (kind === 'person') return `${draw(starts)}${draw(middles)} ${word()}`
  const suffix = suffixes[kind]
  return suffix ? `${word()} ${draw(suffix)}` : word()
}

/** The passage about a thing: what it leads to, among sentences that say other things. */
export function passageOf({ kind, name, facts }: Thing, things: readonly Thing[], draw: Draw): string {
  const told = [...facts].map(([relation, to]) =>
    filled(draw(relations[relation].said), name, typeof to === 'string' ? to : to.name),
  )
  const beside = asides[kind].map((aside) => aside.replace('{z}', draw(things).name))
  const [first = '', ...rest] = told
  return [first, ...beside.slice(0, 1), ...rest, ...beside.slice(1)].join(' ')
}

export const filled = (pattern: string, x: string, y = ''): string => pattern.replaceAll('{x}', x).replaceAll('{y}', y)
