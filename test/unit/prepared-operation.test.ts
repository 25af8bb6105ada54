import {
  execute,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  parse,
} from 'graphql'
import { beforeEach, describe, expect, it } from 'vitest'
import { prepareOperation } from '../../src/graphql/prepared/prepare-operation.ts'

const text = { type: GraphQLString }
const requiredText = { type: new GraphQLNonNull(GraphQLString) }
const colour = new GraphQLEnumType({ name: 'Colour', values: { red: { value: 1 }, blue: { value: 2 } } })
const boat = new GraphQLObjectType({ name: 'Boat', fields: { name: requiredText, masts: { type: GraphQLInt } } })
const buoy = new GraphQLObjectType({
  name: 'Buoy',
  fields: {
    name: requiredText,
    colour: { type: new GraphQLNonNull(colour) },
    shout: { type: GraphQLString, resolve: ({ name }) => name.toUpperCase() },
  },
})
const thing = new GraphQLUnionType({
  name: 'Thing',
  types: [boat, buoy],
  resolveType: (value) => ('masts' in value ? 'Boat' : 'Buoy'),
})
const harbour = new GraphQLObjectType({
  name: 'Harbour',
  fields: {
    name: requiredText,
    things: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(thing))) },
    maybe: { type: new GraphQLList(boat) },
    flagship: { type: boat },
    grid: { type: new GraphQLList(new GraphQLList(GraphQLInt)) },
  },
})

const values = {
  name: 'pier 4',
  things: new Set([
    { name: 'Bollard', masts: 2 },
    { name: 'B1', colour: 2 },
  ]),
  maybe: [null, { name: 'x', masts: null }, { name: null }],
  flagship: { name: 'Gull', masts: undefined },
  grid: [[1, 2], null, [null]],
}

let order: string[] = []
beforeEach(() => {
  order = []
})

const log = (type: GraphQLFieldConfig<unknown, unknown>['type']): GraphQLFieldConfig<unknown, unknown> => ({
  type,
  args: { word: { type: new GraphQLNonNull(GraphQLString) }, ms: { type: GraphQLInt, defaultValue: 0 } },
  resolve: async (_, { word, ms }, context, info) => {
    order.push(`begin ${word}`)
    await new Promise((resolve) => setTimeout(resolve, ms))
    order.push(`end ${word}`)
    if (word === 'bad') throw new Error('bad word')
    return `${word} for ${context} at ${info.path.key}`
  },
})

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      harbour: { type: harbour, resolve: async () => values },
      broken: {
        type: harbour,
        args: { how: { type: new GraphQLNonNull(colour) } },
        resolve: (_, { how }) =>
          how === 1 ? { ...values, things: [{ name: 'B2', colour: 7 }] } : { ...values, name: null },
      },
      error: { type: GraphQLString, resolve: () => new Error('returned, not thrown') },
      say: log(GraphQLString),
    },
  }),
  mutation: new GraphQLObjectType({ name: 'Mutation', fields: { say: log(text.type) } }),
})

/** Both ways, with errors as their messages. */
async function both(source: string, variableValues: Record<string, unknown> = {}) {
  const document = parse(source)
  const [ours, theirs] = [
    await prepareOperation(schema, document)(variableValues, 'ada'),
    await execute({ schema, document, variableValues, contextValue: 'ada' }),
  ]
  const plain = ({ data, errors }: { data?: unknown; errors?: readonly Error[] | undefined }) => ({
    data: data === undefined ? undefined : JSON.parse(JSON.stringify(data)),
    errors: (errors ?? []).length,
  })
  expect(plain(ours)).toEqual(plain(theirs))
  return { ...plain(ours), messages: (ours.errors ?? []).map(({ message }) => message) }
}

describe('a prepared operation answers as graphql-js does', () => {
  it('with aliases, lists, unions, fragments and enums', async () => {
    const { data, errors } = await both(`
      query { body: harbour { title: name grid things { ... on Boat { name m: masts } ...OnBuoy } flagship { ...Named } } }
      fragment OnBuoy on Buoy { name colour shout }
      fragment Named on Boat { name masts }`)
    expect(errors).toBe(0)
    expect(data.body.things).toEqual([
      { name: 'Bollard', m: 2 },
      { name: 'B1', colour: 'blue', shout: 'B1' },
    ])
  })

  it('with one field selected in two places', () =>
    both('{ harbour { flagship { name } ...More } } fragment More on Harbour { flagship { masts } }'))

  it('with variables, defaults and arguments left out', async () => {
    await both('query ($w: String!, $ms: Int) { say(word: $w, ms: $ms) }', { w: 'ahoy' })
    await both('query ($w: String = "hello") { a: say(word: $w) b: say(word: "b", ms: 1) }')
  })

  it.each([{}, { w: null }, { w: 7 }, { w: { x: 1 } }])('with refused variables: %j', async (variables) => {
    const { data } = await both('query ($w: String!) { say(word: $w) }', variables)
    expect(data).toBeUndefined()
    expect(order).toEqual([])
  })

  it('with a null where none may be: the nearest place that may be null is null', async () => {
    expect((await both('{ harbour { maybe { name } } }')).data.harbour.maybe[2]).toBeNull()
    expect((await both('{ broken(how: blue) { name } say(word: "x") }')).messages).toEqual([
      'Cannot return null for non-nullable field Harbour.name.',
    ])
    expect((await both('{ broken(how: red) { things { ... on Buoy { colour } } } }')).errors).toBe(1)
  })

  it('with a failing field beside others', async () => {
    const { data, messages } = await both('{ bad: say(word: "bad") good: say(word: "good") }')
    expect([data.bad, messages]).toEqual([null, ['bad word']])
  })

  it('with a resolver that returns an error', async () => {
    expect((await both('{ error }')).errors).toBe(1)
  })

  it('with the fields of a query at once, and those of a mutation one after another', async () => {
    const run = (kind: string) =>
      prepareOperation(schema, parse(`${kind} { a: say(word: "a", ms: 30) b: say(word: "b") }`))({}, 'ada')
    await run('query')
    expect(order).toEqual(['begin a', 'begin b', 'end b', 'end a'])
    order = []
    await run('mutation')
    expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b'])
  })
})

describe('preparing', () => {
  it.each([
    ['directives', '{ harbour { name @skip(if: true) } }', 'directives'],
    ['an unknown field', '{ harbour { masts } }', 'Harbour.masts'],
    ['two operations', 'query a { error } query b { error }', 'one operation'],
  ])('refuses %s', (_, source, problem) => {
    expect(() => prepareOperation(schema, parse(source))).toThrow(problem)
  })

  it('refuses a field below the root that needs more than its object', () => {
    const busy = new GraphQLObjectType({
      name: 'Busy',
      fields: { f: { ...text, resolve: (_, __, context) => `${context}` } },
    })
    const query = new GraphQLObjectType({ name: 'Query', fields: { busy: { type: busy, resolve: () => ({}) } } })
    expect(() => prepareOperation(new GraphQLSchema({ query }), parse('{ busy { f } }'))).toThrow('Busy.f')
  })
})
