import {
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { type Prepared, type SelectedField, selectedFields } from './selection.ts'

/** One execution of a prepared operation. */
export interface Run {
  context: unknown
  /** What failed below a place that may be null. */
  errors: Error[]
}

/** A value as it stands in the result. Throws if it cannot stand there. */
export type Complete = (value: unknown, run: Run) => unknown

/** How values of a type become parts of a result, for the given selections. `place` names the field in errors. */
export function completionOf(
  prepared: Prepared,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  place: string,
): Complete {
  if (!isNonNullType(type)) return nullable(presentOf(prepared, type, nodes, place))
  const complete = presentOf(prepared, type.ofType, nodes, place)
  return (value, run) => {
    if (value === null || value === undefined) throw new Error(`Cannot return null for non-nullable field ${place}.`)
    return complete(value, run)
  }
}

/** An error ends here: the value is null instead. */
function nullable(complete: Complete): Complete {
  return (value, run) => {
    if (value === null || value === undefined) return null
    try {
      return complete(value, run)
    } catch (error) {
      run.errors.push(asError(error))
      return null
    }
  }
}

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(`thrown: ${error}`))

/** For values that are not null. */
function presentOf(prepared: Prepared, type: GraphQLOutputType, nodes: readonly FieldNode[], place: string): Complete {
  if (isListType(type)) return listOf(completionOf(prepared, type.ofType, nodes, place), place)
  if (isLeafType(type)) return leaf(type, place)
  if (isObjectType(type)) return objectOf(prepared, type, nodes, place)
  if (isNonNullType(type)) throw new Error(`${place}: non-null twice`)
  return oneOf(prepared, type, nodes, place)
}

function leaf(type: GraphQLLeafType, place: string): Complete {
  return (value) => {
    if (value instanceof Promise) throw new Error(`${place}: the value is a promise`)
    const written = type.coerceOutputValue(value)
    if (written === null || written === undefined) throw new Error(`${place}: ${type.name} has no form of this value`)
    return written
  }
}

function listOf(item: Complete, place: string): Complete {
  return (value, run) => {
    if (!isList(value)) throw new Error(`${place}: the value is not a list`)
    const items: unknown[] = []
    for (const one of value) items.push(item(one, run))
    return items
  }
}

const isList = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value

function objectOf(prepared: Prepared, type: GraphQLObjectType, nodes: readonly FieldNode[], place: string): Complete {
  if (type.isTypeOf) throw new Error(`${type.name}: prepared operations do not test types`)
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  const fields = selectedFields(prepared, type, sets).map((selected) => ({
    key: selected.key,
    read: readerOf(prepared, selected),
  }))
  return (value, run) => {
    if (!isPlain(value)) throw new Error(`${place}: the value is not an object`)
    const result: Record<string, unknown> = {}
    for (const { key, read } of fields) result[key] = read(value, run)
    return result
  }
}

type Source = Readonly<Record<string, unknown>>

const isPlain = (value: unknown): value is Source =>
  typeof value === 'object' && value !== null && !(value instanceof Promise || value instanceof Error)

/** Reads one field of an object. Below the root, fields are properties, or made of their object alone. */
function readerOf(
  prepared: Prepared,
  { field: { name, resolve, args, type }, nodes, place }: SelectedField,
): (source: Source, run: Run) => unknown {
  const complete = completionOf(prepared, type, nodes, place)
  if (!resolve) return (source, run) => complete(source[name], run)
  if (resolve.length > 1 || args.length > 0) throw new Error(`${place}: needs more than its object`)
  const resolveAlone = resolve as (source: unknown) => unknown
  const evaluate: Complete = (source, run) => complete(resolveAlone(source), run)
  return isNonNullType(type) ? evaluate : nullable(evaluate)
}

/** A value of one of several types. */
function oneOf(prepared: Prepared, type: GraphQLAbstractType, nodes: readonly FieldNode[], place: string): Complete {
  if (!type.resolveType) throw new Error(`${type.name}: no resolveType`)
  const typeOf = type.resolveType as (value: unknown, context: unknown) => unknown
  const possible = prepared.schema.getPossibleTypes(type)
  const completions = new Map(possible.map((one) => [one.name, objectOf(prepared, one, nodes, place)]))
  return (value, run) => {
    const complete = completions.get(`${typeOf(value, run.context)}`)
    if (!complete) throw new Error(`${place}: the value is not a ${type.name}`)
    return complete(value, run)
  }
}
