import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Slices } from '../../async/pieces.ts'
import { InvalidInputError } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { Synonyms } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { Synonym } from '../../ports/indexes/text-index.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { parseItems } from '../input/parse.ts'
import { group, maxRules, oneWayRule, type SynonymsInput } from './synonyms-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'>

/** Those of the namespace. Errors: 403 except for admin principals. */
export async function getSynonyms({ catalog }: Deps, session: Session): Promise<Synonyms> {
  admit(session, 'synonyms')
  return (await catalog.registry.synonyms(session.namespace.id)) ?? { groups: [], oneWay: [] }
}

/** Replaces those of the namespace, from the next search on. Errors: 400; 403 except for admin principals. */
export async function setSynonyms({ catalog, clock }: Deps, session: Session, input: SynonymsInput): Promise<Synonyms> {
  const groups = await parseItems(group, input.groups, ['groups'])
  const oneWay = await parseItems(oneWayRule, input.oneWay, ['oneWay'])
  admit(session, 'setSynonyms')
  const count = groups.length + oneWay.length
  if (count > maxRules) throw new InvalidInputError(['oneWay'], `must be at most ${maxRules} with groups`)
  const rules = { groups, oneWay }
  const version = count === 0 ? null : createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 32)
  const { id } = session.namespace
  await catalog.provision(async (tx) => {
    await tx.setSynonyms(id, rules, version)
    const counts = { groups: groups.length, one_way: oneWay.length }
    await tx.audit(id, auditEntry(session, clock.now(), 'synonyms.set', null, counts))
  })
  return rules
}

/** What stands for words that begin with a term. */
interface Rule {
  /** Of the words in their order. */
  terms: readonly string[]
  /** Where it stands in a query, if its words do not tell: `C#`, and words of a letter or two, as `C`. */
  places: ReturnType<TextAnalysis['phrases']> | null
  to: readonly string[]
}

type Compiled = ReadonlyMap<string, readonly Rule[]>

/** Of one query. More would only make the search slower. */
const maxSynonyms = 100

/** What stands for words of queries, by the namespace and the version of its rules. Compiled rules are kept by it. */
export function synonymFinder({ catalog, analysis }: Pick<Bindings, 'catalog' | 'analysis'>) {
  const kept = new LRUCache<string, Compiled>({ max: 100 })
  return async (namespaceId: string, version: string, q: string): Promise<Synonym[]> => {
    if (q.trim() === '') return []
    let rules = kept.get(version)
    if (rules === undefined) {
      rules = await compile(analysis, (await catalog.registry.synonyms(namespaceId)) ?? { groups: [], oneWay: [] })
      kept.set(version, rules)
    }
    return foundIn(rules, analysis, q)
  }
}

async function compile(analysis: TextAnalysis, { groups, oneWay }: Synonyms): Promise<Compiled> {
  const rules = new Map<string, Rule[]>()
  const slices = new Slices()
  const both = groups.flatMap((group) => group.map((from) => ({ from, to: group.filter((other) => other !== from) })))
  for (const { from, to } of [...both, ...oneWay]) {
    const found = analysis.words(from)
    const isExact = /[^\p{L}\p{N}\p{M}\s]/u.test(from) || found.some(({ word }) => word.length <= 2)
    const rule = { terms: found.map(({ term }) => term), places: isExact ? analysis.phrases([from]) : null, to }
    const [first] = rule.terms
    if (first !== undefined) rules.set(first, [...(rules.get(first) ?? []), rule])
    if (slices.isOver) await slices.next()
  }
  return rules
}

function foundIn(rules: Compiled, analysis: TextAnalysis, q: string): Synonym[] {
  const words = analysis.words(q)
  const found = new Map<string, Synonym>()
  let count = 0
  for (const [i, { term, start }] of words.entries()) {
    for (const { terms, places, to } of rules.get(term) ?? []) {
      const end = words[i + terms.length - 1]?.end
      if (end === undefined || !terms.every((one, j) => words[i + j]?.term === one)) continue
      if (
        places !== null &&
        !places(q)
          .flat()
          .some((place) => place.start <= start && place.end >= end)
      )
        continue
      const key = `${start} ${end}`
      const others = to.slice(0, maxSynonyms - count)
      count += others.length
      if (others.length > 0)
        found.set(key, { start, end, to: [...new Set([...(found.get(key)?.to ?? []), ...others])] })
    }
  }
  return [...found.values()]
}
