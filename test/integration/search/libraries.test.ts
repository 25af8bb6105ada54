import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

/**
 * What the splitters of LangChain, LlamaIndex and Haystack put into metadata, filters as the last two write them, and what
 * they find by them in memory: recorded from the libraries, with their versions in the first line.
 */
const [recorded, ...lines] = readFileSync(new URL('../../support/index/libraries.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
const units: { unit: string; metadata: object }[] = lines.filter(({ unit }) => unit)
const cases: Case[] = lines.filter(({ library }) => library)

interface Case {
  library: 'llama-index' | 'haystack'
  filter: Llama & Haystack
  found: string[]
}
interface Llama {
  condition: 'and' | 'or' | 'not'
  filters: { key: string; operator: string; value: unknown }[]
}
interface Haystack {
  field: string
  operator: string
  value: unknown
  conditions?: Haystack[]
}

/** An operator of a library in ours. Texts are never compared without case, and there are no patterns. */
const llamaIndex: Record<string, (value: unknown) => object> = {
  '==': (eq) => ({ eq }),
  '!=': (ne) => ({ ne }),
  '>': (gt) => ({ gt }),
  '>=': (gte) => ({ gte }),
  '<': (lt) => ({ lt }),
  '<=': (lte) => ({ lte }),
  in: (list) => ({ in: list }),
  nin: (nin) => ({ nin }),
  any: (list) => ({ in: list }),
  all: (all) => ({ all }),
  contains: (contains) => ({ contains }),
  text_match: (contains) => ({ contains }),
  is_empty: () => ({ exists: false }),
}
const haystack: typeof llamaIndex = { ...llamaIndex, 'not in': (nin: unknown) => ({ nin }) }
const langChain: Record<string, (value: unknown) => object> = {
  ...Object.fromEntries(
    ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin'].map((name) => [name, (v) => ({ [name]: v })]),
  ),
  contain: (contains) => ({ contains }),
}

const fromLlamaIndex = ({ condition, filters }: Llama): object => {
  const each = filters.map(({ key, operator, value }) => ({ metadata: { [key]: llamaIndex[operator]?.(value) } }))
  return condition === 'not' ? { not: { or: each } } : { [condition]: each }
}
const fromHaystack = ({ field, operator, value, conditions }: Haystack): object => {
  if (!conditions) return { metadata: { [field.replace('meta.', '')]: haystack[operator]?.(value) } }
  const each = conditions.map(fromHaystack)
  return operator === 'NOT' ? { not: { and: each } } : { [operator.toLowerCase()]: each }
}

let app: TestApp
let token: string
beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ann', namespace: 'acme' })
  const sent = units.map(({ unit, metadata }) => ({ text: 'harbour', external_id: unit, metadata }))
  const { status } = await app.call('POST', '/v1/ingest', { token, scope: 'main', body: { units: sent } })
  expect(status).toBe(200)
})
afterAll(() => app?.close())

async function found(library: string, filter: object): Promise<string[]> {
  const filters = { and: [{ external_id: { prefix: `${library.replace('-', '')}-` } }, filter] }
  const { body } = await app.call('POST', '/v1/search', { token, body: { q: 'harbour', top_k: 50, filters } })
  return body.hits.map(({ external_id }: { external_id: string }) => external_id).sort()
}

describe('LangChain, LlamaIndex and Haystack', () => {
  it('get the metadata of their splitters back as it was', async () => {
    const { body } = await app.call('GET', '/v1/units', { token })
    expect(body.units.map(({ metadata }: { metadata: object }) => metadata)).toEqual(
      units.map(({ metadata }) => metadata),
    )
  })

  it.each(cases)('$library finds by $filter what it finds itself', async ({ library, filter, found: expected }) => {
    const ours = library === 'haystack' ? fromHaystack(filter) : fromLlamaIndex(filter)
    expect(await found(library, ours)).toEqual(expected.toSorted())
  })

  it.each([
    ['loc.lines.from', 'eq', 1, 'all'],
    ['loc.lines.to', 'lte', 6, 'none'],
    ['start_index', 'gt', 0, 'some'],
    ['tags', 'contain', 'a', 'all'],
    ['source', 'in', ['log.md'], 'all'],
    ['author', 'ne', 'someone', 'all'],
    ['author', 'nin', ['someone'], 'all'],
  ])('LangChain: %s %s %o', async (path, operator, value, expected) => {
    const all = units.map(({ unit }) => unit).filter((unit) => /^langchain-\d/.test(unit))
    const ids = (await found('langchain', { metadata: { [path]: langChain[operator]?.(value) } })).filter((id) =>
      all.includes(id),
    )
    if (expected === 'some') expect([ids.length > 0, ids.length < all.length]).toEqual([true, true])
    else expect(ids).toEqual(expected === 'all' ? all : [])
  })

  it('have no operator without one of ours, but for patterns and case', () => {
    const logical = ['and', 'or', 'not', 'AND', 'OR', 'NOT']
    const without = (operators: string[], known: object) =>
      operators.filter((operator) => !logical.includes(operator) && !Object.hasOwn(known, operator))
    expect(without(recorded.operators['llama-index'], llamaIndex)).toEqual(['text_match_insensitive'])
    expect(without(recorded.operators.haystack, haystack)).toEqual([])
    expect(without(recorded.operators.langchain, langChain)).toEqual(['like'])
  })
})
