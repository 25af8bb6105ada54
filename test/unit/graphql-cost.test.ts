import {
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  parse,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { schema } from '../../src/graphql/schema.ts'
import { costOf, lengthArguments, listLengths } from '../../src/graphql/server/cost.ts'
import { operationOf } from '../../src/operations/operations.ts'
import { selectionOf } from '../support/access/selection.ts'

const cost = (text: string, variables: Record<string, unknown> = {}, operationName?: string) =>
  costOf({ schema, document: parse(text), variables, operationName })

const fieldsOf = (type: unknown): GraphQLField<unknown, unknown>[] =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
const rootFields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(fieldsOf)
const isObjectList = (type: GraphQLOutputType) => isListType(getNullableType(type)) && !isLeafType(getNamedType(type))

describe('the cost of an operation', () => {
  it('is the weights of its root fields, and 1 for each field below', () => {
    expect(cost('{ context { perms } }')).toBe(2)
    expect(cost('{ search(input: {q: "a", topK: 3}) { hiddenByAcl } }')).toBe(51)
    expect(cost('{ answer(input: {q: "a"}) { answer { text } } }')).toBe(202)
    expect(cost('{ search(input: {q: "a", answer: true}) { hiddenByAcl } }')).toBe(201)
    expect(cost('mutation { compact { seq } }')).toBe(501)
    expect(cost('mutation { deleteUnits(input: {ids: ["a"]}) { seq } }')).toBe(21)
  })

  it('grows with the searches that an answer may make', () => {
    const answer = 'query ($input: SearchInput!) { answer(input: $input) { hiddenByAcl } }'
    const of = (maxSteps: unknown) => cost(answer, { input: { q: 'a', maxSteps } })
    expect([1, 4, 5, 8, 1e9, 'x'].map(of)).toEqual([201, 201, 251, 401, 401, 201])
    expect(cost('{ search(input: {q: "a", answer: true, maxSteps: 8}) { hiddenByAcl } }')).toBe(401)
    expect(cost('{ search(input: {q: "a", maxSteps: 8}) { hiddenByAcl } }')).toBe(51)
  })

  it('grows with what is sent, in the document or in variables', () => {
    const search = 'query ($q: String!) { search(input: {q: $q}) { hiddenByAcl } }'
    const asked = (length: number) => cost(search, { q: 'x'.repeat(length) })
    expect([99, 100, 250].map(asked)).toEqual([51, 56, 61])
    expect(cost(`{ search(input: {q: "${'x'.repeat(250)}"}) { hiddenByAcl } }`)).toBe(61)
    expect(cost(`query ($q: String = "${'x'.repeat(250)}") { search(input: {q: $q}) { hiddenByAcl } }`)).toBe(61)
    const as = 'query ($input: SearchInput!) { searchAs(principalId: "ann", input: $input) { hiddenByAcl } }'
    expect(cost(as, { input: { q: 'x'.repeat(250) } })).toBe(61)
    const ids = (count: number) => Array.from({ length: count }, (_, i) => `u${i}`)
    const deletion = 'mutation ($input: DeleteUnitsInput!) { deleteUnits(input: $input) { seq } }'
    expect([99, 100, 1_000].map((count) => cost(deletion, { input: { ids: ids(count) } }))).toEqual([21, 71, 521])
    expect(cost(deletion, { input: { filter: { docId: ids(1_000) } } })).toBe(521)
    const source = 'mutation ($data: String!) { a: createSource(input: {data: $data}) { sourceUri } b: seed { seq } }'
    expect(cost(source, { data: 'A'.repeat(10 * 8192) })).toBe(20 + 10 + 1 + 20 + 1)
    const run = (limit: number) => cost(`mutation { evaluate(limit: ${limit}) { run { id } } }`)
    expect([1, 20, 21, 100].map(run)).toEqual([502, 502, 552, 4_502])
  })

  it('lets what people send pass, but not often in one document', () => {
    const { maxCost } = readConfig({}).graphql
    const often = (count: number, field: string) => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')
    const searches = (count: number, length: number, fields: string) =>
      cost(`query ($q: String!) { ${often(count, `search(input: {q: $q, topK: 50}) { ${fields} }`)} }`, {
        q: 'x'.repeat(length),
      })
    const hits =
      'hits { unitId externalId score rank plane modality scope docId text sourceUri mime metadata createdAt highlights { start end } explain { leg rank score normalized weight } }'
    expect(searches(1, 8_192, hits)).toBeLessThanOrEqual(maxCost)
    expect(searches(30, 8_100, 'hiddenByAcl')).toBeGreaterThan(maxCost)
    const batches = (count: number, letters: number, fields: string) =>
      cost(`mutation ($units: [UnitInput!]!) { ${often(count, `ingest(input: {units: $units}) { ${fields} }`)} }`, {
        units: Array.from({ length: 1_000 }, () => ({ text: 'x'.repeat(letters), vector: Array(512).fill(0.5) })),
      })
    const answer = 'units { unitId externalId status scope modality plane } counts { created } seq indexed'
    expect(batches(1, 15_000, answer)).toBeLessThanOrEqual(maxCost)
    expect(batches(30, 100, 'seq')).toBeGreaterThan(maxCost)
  })

  it('looks once at what is sent often', () => {
    let looks = 0
    const unit = {
      get text() {
        looks += 1
        return 'x'.repeat(8192)
      },
    }
    const fields = Array.from({ length: 30 }, (_, i) => `a${i}: ingest(input: {units: $units}) { seq }`).join(' ')
    expect(cost(`mutation ($units: [UnitInput!]!) { ${fields} }`, { units: [unit] })).toBe(30 * 22)
    expect(looks).toBe(1)
  })

  it('is multiplied by the lengths of the lists around a field', () => {
    const hits = (topK: string) => `query ($k: Int, $input: SearchInput = {q: "a", topK: 2}) {
      search(input: ${topK}) { hits { unitId highlights { start } } }
    }`
    const of = (length: number) => 50 + 1 + length * (1 + 1 + 10)
    expect(cost(hits('{q: "a", topK: 5}'))).toBe(of(5))
    expect(cost(hits('{q: "a", topK: $k}'), { k: 7 })).toBe(of(7))
    expect(cost(hits('$input'), { input: { q: 'a', topK: 9 } })).toBe(of(9))
    expect(cost(hits('$input'))).toBe(of(2))
    expect(cost(hits('{q: "a"}'))).toBe(of(50))
    expect(cost('{ units(limit: 4) { units { unitId text } } }')).toBe(1 + 1 + 4 * 2)
    expect(cost('{ units { units { unitId } } }')).toBe(1 + 1 + 100)
    expect(cost('{ scopes { scopes { scope planes } count } }')).toBe(1 + 1 + 100 * 2 + 1)
    expect(cost('{ audit(filter: {action: "units.get"}, limit: 5) { rows { seq } } }')).toBe(1 + 1 + 5)
    expect(cost('{ billingPlans { plans { name } } }')).toBe(1 + 1 + 10)
    expect(cost('{ benchmarkReport { benchmarks { operation p50Ms } evals { mean } } }')).toBe(1 + 1 + 2 * 2 + 1 + 10)
    const grouped = (more: string) =>
      cost(`{ search(input: {q: "a", topK: 5${more}}) { hits { group { value hits { unitId text } } } } }`)
    expect(grouped('')).toBe(50 + 1 + 5 * (1 + 1 + 1))
    expect(grouped(', groupBy: "doc_id"')).toBe(50 + 1 + 5 * (1 + 1 + 1 + 2))
    expect(grouped(', groupBy: "doc_id", groupSize: 4')).toBe(50 + 1 + 5 * (1 + 1 + 1 + 4 * 2))
    const ingest = 'mutation ($u: [UnitInput!]!) { ingest(input: {units: $u}) { units { unitId status } } }'
    expect(cost(ingest, { u: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] })).toBe(20 + 1 + 3 * 2)
  })

  it('counts fragments wherever they are spread, aliases each, and introspection once', () => {
    const fragments = `{ a: units(limit: 3) { ...page } b: units(limit: 5) { ...page } }
      fragment page on UnitPage { units { ...unit } } fragment unit on Unit { unitId ... on Unit { text } }`
    expect(cost(fragments)).toBe(1 + 1 + 3 * 2 + 1 + 1 + 5 * 2)
    expect(cost('{ __schema { types { name fields { name } } } }')).toBe(5)
    expect(cost('query a { health { status } } query b { units(limit: 1) { hiddenByAcl } }', {}, 'b')).toBe(2)
  })

  it('has no length for an argument that does not exist', () => {
    const sent = rootFields.flatMap(({ args }) =>
      args.flatMap(({ name, type }) => {
        const input = getNullableType(type)
        return [name, ...(isInputObjectType(input) ? Object.keys(input.getFields()) : [])]
      }),
    )
    for (const name of Object.keys(lengthArguments)) expect(sent).toContain(name)
  })

  it.each(Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ args }) => !args.some(isRequiredArgument)))(
    'of $name with all its fields is within the default limit',
    ({ name, type }) => {
      expect(cost(`{ ${name} ${selectionOf(type)} }`)).toBeLessThanOrEqual(readConfig({}).graphql.maxCost)
    },
  )

  /** Root fields whose results contain a list of objects. */
  interface ListField {
    start: string
    field: GraphQLField<unknown, unknown>
    /** The list in the field's result; null if the field itself is the list. */
    list: GraphQLField<unknown, unknown> | null
  }
  const lists = rootFields.flatMap((field): ListField[] => {
    const isMutation = schema.getMutationType()?.getFields()[field.name] === field
    const start = isMutation ? 'mutation' : 'query'
    if (isObjectList(field.type)) return [{ start, field, list: null }]
    return fieldsOf(getNamedType(field.type))
      .filter(({ type }) => isObjectList(type))
      .map((list) => ({ start, field, list }))
  })

  /** Arguments of the root field that can make its result longer. */
  const lengthsOf = ({ args }: GraphQLField<unknown, unknown>) =>
    args.flatMap(({ name, type }) => {
      const input = getNullableType(type)
      const own = isListType(input) || /^(limit|first|last|top|count|size)/i.test(name) ? [[name]] : []
      if (!isInputObjectType(input) || name === 'filters') return own
      const members = Object.values(input.getFields()).filter(
        (member) => isListType(getNullableType(member.type)) || /^(limit|first|last|top)/i.test(member.name),
      )
      return [...own, ...members.map((member) => [name, member.name])]
    })

  /** Lists in arguments that don't make a list of objects longer: most only filter or order it; `limit` stands beside `fields`. */
  const narrowing = new Set([
    'planes',
    'filters',
    'answers',
    'fields',
    'history',
    'sort',
    'boost',
    'facets',
    'groups',
    'docIds',
  ])

  it('knows every argument of the schema that makes a list of objects longer', () => {
    expect(lists.length).toBeGreaterThan(8)
    for (const { field } of lists) {
      for (const path of lengthsOf(field)) {
        const name = path.at(-1) ?? ''
        if (!narrowing.has(name))
          expect({ field: field.name, known: Object.keys(lengthArguments) }).toEqual({
            field: field.name,
            known: expect.arrayContaining([name]),
          })
      }
    }
  })

  it.each(lists)('of $field.name is multiplied below $list.name', ({ start, field, list }) => {
    const item = getNamedType((list ?? field).type)
    const leaf = isUnionType(item) ? '__typename' : '__typename a: __typename'
    const [path] = lengthsOf(field).filter((path) => (path.at(-1) ?? '') in lengthArguments)
    const selection = list ? `${list.name} { ${leaf} }` : leaf
    const below = isUnionType(item) ? 1 : 2
    const weight = operationOf(field.name)?.weight ?? (start === 'mutation' ? 20 : 1)
    const of = (length: number) => weight + (list ? 1 : 0) + length * below
    if (path === undefined) {
      const length = listLengths[list?.name ?? ''] ?? 10
      return expect(cost(`${start} { ${field.name} { ${selection} } }`)).toBe(of(length))
    }
    const value = (length: number) => (/^(limit|topK)$/.test(path.at(-1) ?? '') ? length : Array(length).fill('x'))
    const document = `${start} ($v: Any) { ${field.name}(${path.length > 1 ? `${path[0]}: {${path[1]}: $v}` : `${path[0]}: $v`}) { ${selection} } }`
    for (const length of [1, 2, 17]) expect(cost(document, { v: value(length) })).toBe(of(length))
    return expect(cost(document)).toBe(of(lengthArguments[path.at(-1) ?? ''] ?? 0))
  })
})
