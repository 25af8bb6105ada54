import {
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { InvalidInputError } from '../../../src/errors.ts'
import { type CallPlan, prepareCall } from '../../../src/http/rest/call.ts'

const requiredText = { type: new GraphQLNonNull(GraphQLString) }
const colour = new GraphQLEnumType({ name: 'Colour', values: { red: { value: 1 }, blue: { value: 2 } } })
const boat = new GraphQLObjectType({ name: 'Boat', fields: { name: requiredText, mastCount: { type: GraphQLInt } } })
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
  resolveType: (value) => ('mastCount' in value ? 'Boat' : 'Buoy'),
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
    { name: 'Bollard', mastCount: 2 },
    { name: 'B1', colour: 2 },
  ]),
  maybe: [null, { name: 'x', mastCount: null }],
  flagship: { name: 'Gull', mastCount: undefined },
  grid: [[1, 2], null, [null]],
}

const broken: Record<string, unknown> = {
  enum: { ...values, things: [{ name: 'B2', colour: 7 }] },
  null: { ...values, name: null },
  below: { ...values, maybe: [{ name: null }] },
  text: 'text',
  list: { ...values, things: 7 },
  promise: { ...values, name: Promise.resolve('later') },
}

const say: GraphQLFieldConfig<unknown, unknown> = {
  type: GraphQLString,
  args: { firstWord: requiredText, paint: { type: colour } },
  resolve: (_, { firstWord, paint }, context) => {
    if (firstWord === 'bad') throw new InvalidInputError(['firstWord', 0], 'is bad')
    return `${firstWord} ${paint} for ${context}`
  },
}

const busy = new GraphQLObjectType({
  name: 'Busy',
  fields: { f: { type: GraphQLString, resolve: (_, __, context) => `${context}` } },
})

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      harbour: { type: harbour, resolve: async () => values },
      broken: { type: harbour, args: { how: requiredText }, resolve: (_, { how }) => broken[how] },
      none: { type: harbour, resolve: () => null },
      error: { type: GraphQLString, resolve: () => new Error('returned, not thrown') },
      busy: { type: busy, resolve: () => ({}) },
      say,
    },
  }),
  mutation: new GraphQLObjectType({ name: 'Mutation', fields: { shout: say } }),
})

const shapes = {
  Harbour: 'grid name things flagship maybe',
  Boat: 'name mast_count',
  Thing: 'Boat { mast_count name } Buoy { name colour shout }',
}
const prepared = (plan: CallPlan) => prepareCall({ schema, shapes }, plan)
const callOf = (field: string, answer?: string) => prepared({ field, args: {}, answer }).run({}, 'ada')

describe('an answer', () => {
  it('has names of the wire in the order of the shape: lists, unions, enums, and fields of their object alone', async () => {
    const answer = await callOf('harbour')
    expect(JSON.stringify(answer)).toBe(
      JSON.stringify({
        grid: [[1, 2], null, [null]],
        name: 'pier 4',
        things: [
          { mast_count: 2, name: 'Bollard' },
          { name: 'B1', colour: 'blue', shout: 'B1' },
        ],
        flagship: { name: 'Gull', mast_count: null },
        maybe: [null, { name: 'x', mast_count: null }],
      }),
    )
  })

  it('shows what its call says instead of what its type says', async () => {
    expect(await callOf('harbour', 'flagship { mast_count } name')).toEqual({
      flagship: { mast_count: null },
      name: 'pier 4',
    })
  })

  it('may be null', async () => {
    expect(await callOf('none')).toBeNull()
  })

  it.each([
    ['null', 'Cannot return null for non-nullable field Harbour.name.'],
    ['below', 'Cannot return null for non-nullable field Boat.name.'],
    ['enum', 'Enum "Colour" cannot represent value: 7'],
    ['text', 'Query.broken: the value is not an object'],
    ['list', 'Harbour.things: the value is not a list'],
    ['promise', 'Harbour.name: the value is a promise'],
  ])('is refused for a value that does not fit its type: %s', async (how, problem) => {
    const call = prepared({ field: 'broken', args: { how: 'how' } })
    await expect(call.run({ how }, 'ada')).rejects.toThrow(problem)
  })

  it('is the error that a resolver returns', async () => {
    await expect(callOf('error')).rejects.toThrow('returned, not thrown')
  })
})

describe('the values of a call', () => {
  const { run } = prepared({ field: 'say', args: { firstWord: 'word', paint: 'paint' } })

  it('become arguments, and enums their values', async () => {
    expect(await run({ word: 'ahoy', paint: 'blue' }, 'ada')).toBe('ahoy 2 for ada')
    expect(await run({ word: 'ahoy' }, 'ada')).toBe('ahoy undefined for ada')
  })

  it.each([
    [{}, 'word: is required'],
    [{ word: null }, 'word: is required'],
    [{ word: 7 }, 'word: must be a string'],
    [{ word: 'x', paint: 'toString' }, 'paint: must be one of red, blue'],
    [{ first_word: 'x' }, 'first_word: unknown field; must be one of word, paint'],
  ])('are refused by their names on the wire: %j', async (wire, problem) => {
    await expect(run(wire, 'ada')).rejects.toThrow(problem)
  })

  it('have those names in errors of the resolver, too', async () => {
    await expect(run({ word: 'bad' }, 'ada')).rejects.toMatchObject({ field: ['word', 0], problem: 'is bad' })
  })

  it('may change something', () => {
    expect(prepared({ field: 'shout', args: { firstWord: 'word' } }).isWrite).toBe(true)
    expect(prepared({ field: 'say', args: { firstWord: 'word' } }).isWrite).toBe(false)
  })
})

describe('preparing', () => {
  it('refuses a field below the root that needs more than its object', () => {
    expect(() => prepared({ field: 'busy', args: {}, answer: 'f' })).toThrow('Busy.f: needs more than its object')
  })

  it('refuses a type that the union does not have', () => {
    expect(() => prepared({ field: 'harbour', args: {}, answer: 'things { Raft { name } }' })).toThrow(
      'Raft as a Thing',
    )
  })
})
