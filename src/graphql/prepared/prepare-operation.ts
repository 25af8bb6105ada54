import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  Kind,
  OperationTypeNode,
} from 'graphql'
import { asError, completionOf, type Run } from './complete.ts'
import { type Prepared, type SelectedField, selectedFields } from './selection.ts'

type Variables = NonNullable<ReturnType<typeof getVariableValues>['variableValues']>

/** Without `data` the variables were refused, and nothing ran. */
export interface OperationResult {
  data?: Readonly<Record<string, unknown>>
  errors?: readonly Error[]
}

export type PreparedOperation<Context> = (
  variables: Readonly<Record<string, unknown>>,
  context: Context,
) => Promise<OperationResult>

/** More wrong values are not listed. */
const maxErrors = 50

/**
 * Makes a function of one operation of the service's own, once. It does what `execute` of graphql-js does, without
 * looking at the document again, and without an abort signal: nothing aborts these operations. Errors are as they were
 * thrown. Throws for a document that has directives, or fields below the root that need more than their object or are
 * promises.
 */
export function prepareOperation<Context>(schema: GraphQLSchema, document: DocumentNode): PreparedOperation<Context> {
  const prepared = readDocument(schema, document)
  const { operation } = prepared
  const type = schema.getRootType(operation.operation)
  if (!type) throw new Error(`the schema has no ${operation.operation}`)
  const definitions = operation.variableDefinitions ?? []
  const fields = selectedFields(prepared, type, [operation.selectionSet]).map((selected) => ({
    key: selected.key,
    run: rootField(prepared, type, selected),
  }))
  const isSerial = operation.operation === OperationTypeNode.MUTATION

  return async (sent, context) => {
    const { variableValues, errors } = getVariableValues(schema, definitions, sent, { maxErrors })
    if (errors) return { errors }
    const run: Run = { context, errors: [] }
    const data: Record<string, unknown> = {}
    const started: Promise<unknown>[] = []
    for (const field of fields) {
      const value = field.run(variableValues, run)
      if (isSerial) await value
      started.push(value)
    }
    for (const [i, { key }] of fields.entries()) data[key] = await started[i]
    return run.errors.length > 0 ? { data, errors: run.errors } : { data }
  }
}

function readDocument(schema: GraphQLSchema, { definitions }: DocumentNode): Prepared {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
  const [operation] = operations
  if (!operation || operations.length > 1) throw new Error('expected one operation')
  return { schema, operation, fragments: Object.fromEntries(fragments.map((one) => [one.name.value, one])) }
}

/** A failed root field is null, whatever its type: the answer is its error. */
function rootField(
  prepared: Prepared,
  parentType: GraphQLObjectType,
  { key, field, nodes, place }: SelectedField,
): (variables: Variables, run: Run) => Promise<unknown> {
  const { schema, operation, fragments } = prepared
  const { name: fieldName, resolve, type: returnType } = field
  if (!resolve) throw new Error(`${place}: no resolver`)
  const complete = completionOf(prepared, returnType, nodes, place)
  const path = { prev: undefined, key, typename: parentType.name }
  const known = { fieldName, fieldNodes: nodes, returnType, parentType, path, schema, fragments, operation }
  return async (variableValues, run) => {
    try {
      const args = getArgumentValues(field, nodes[0], variableValues)
      // The rest of it belongs to operations that can be aborted.
      const info = { ...known, rootValue: undefined, variableValues } as unknown as GraphQLResolveInfo
      const value: unknown = await resolve(undefined, args, run.context, info)
      if (value instanceof Error) throw value
      return complete(value, run)
    } catch (error) {
      run.errors.push(asError(error))
      return null
    }
  }
}
