import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
} from 'graphql'
import { z } from 'zod'
import { boundsOf, describeRules, type RuleSchema, shapesOf } from './bounds.ts'
import { boundsInWords } from './bounds-in-words.ts'

type Input = GraphQLArgument | GraphQLInputField

/**
 * Documents the rules of root fields in the schema: descriptions name the bounds, and `extensions.bounds` of an
 * argument or input field has them as JSON Schema keywords. Startup fails if the arguments of a root field differ from
 * those in its rules.
 */
export function documentBounds(schema: GraphQLSchema): GraphQLSchema {
  const found = new Map<Input, RuleSchema[]>()

  function visit(inputs: readonly Input[], shapes: readonly RuleSchema[], place: string): void {
    const known = new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)))
    const unruled = inputs.find(({ name }) => !known.delete(name))
    const [unknown = unruled?.name] = known
    if (unknown !== undefined) throw new Error(`the rules of ${place} and its inputs differ in ${unknown}`)
    for (const input of inputs) {
      const schemas = shapes.flatMap(({ properties }) =>
        properties?.[input.name] ? shapesOf(properties[input.name] ?? {}) : [],
      )
      found.set(input, [...(found.get(input) ?? []), ...schemas])
      const type = getNamedType(input.type)
      if (!isInputObjectType(type)) continue
      const members = schemas.flatMap((one) => shapesOf(one.items ?? one))
      visit(Object.values(type.getFields()), members, type.name)
    }
  }

  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (field.args.length > 0) visit(field.args, [describeRules(rulesOf(field))], field.name)
    }
  }
  for (const [input, schemas] of found) {
    const bounds = boundsOf(schemas)
    input.description = [input.description, ...boundsInWords(bounds)].join(' ')
    input.extensions = { ...input.extensions, bounds }
  }
  return schema
}

function rulesOf({ name, extensions }: GraphQLField<unknown, unknown>): z.ZodType {
  const { pothosOptions } = extensions as { pothosOptions?: { validate?: { schema?: unknown } } }
  const rules = pothosOptions?.validate?.schema
  if (!(rules instanceof z.ZodType)) throw new Error(`the arguments of the root field ${name} have no rules`)
  return rules
}
