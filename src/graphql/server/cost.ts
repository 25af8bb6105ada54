import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { badRequest } from '../../errors.ts'
import { operationOf, operations } from '../../operations/operations.ts'

const searchWeight = operations.search.weight
/** How many searches the weight of an answer covers; each further one that it may make weighs as a search. */
const coveredSearches = 4
const maxSearches = 8
/** The same of an evaluation, which asks as many by default. */
const coveredQueries = 20
const maxQueries = 100

const mutationWeight = 20
const fieldWeight = 1

/** A query is compared with all Units by each of its words: what each 100 characters weigh. */
const queryWeight = 5
/** What is sent must be read, checked and stored: what each 100 members of a list weigh, and each 8,192 characters. */
const itemsWeight = 50
const lettersPerWeight = 8192
/** Characters of a number, about: those of long lists are not looked at. */
const lettersPerNumber = 2

/** Arguments that set the length of the lists in a result, and their maximum. */
export const lengthArguments: Readonly<Record<string, number>> = {
  limit: 100,
  topK: 50,
  ids: 10_000,
  units: 1_000,
  documentIds: 1_000,
  oneWay: 1_000,
}
/** The most hits of a group. */
const maxGroupSize = 5
/** The length of other lists, by the names of their fields: the maximum, or of `readers`, which may be long, what most have. */
export const listLengths: Readonly<Record<string, number>> = {
  benchmarks: 2,
  before: 20,
  after: 20,
  oneWay: 1_000,
  readers: 4,
}
/** The assumed length of any other list. */
const unknownLength = 10

export interface CostedOperation {
  schema: GraphQLSchema
  document: DocumentNode
  operationName?: string | null | undefined
  variables?: Readonly<Record<string, unknown>> | null | undefined
}

/**
 * The maximum cost of an operation, before it runs: the weight of each field times the lengths of the lists around it.
 * The document must be valid. Fragments count at every spread; conditions (`@skip`) are ignored. 0 if the document does
 * not contain the operation.
 */
export function costOf({ schema, document, operationName, variables }: CostedOperation): number {
  const operation = getOperationAST(document, operationName)
  const root = operation && schema.getRootType(operation.operation)
  if (!operation || !root) return 0
  const cost = new Estimate(schema, document, operation, variables ?? {}).ofSet(operation.selectionSet, root, null)
  return Math.min(cost, Number.MAX_SAFE_INTEGER)
}

class Estimate {
  readonly #schema: GraphQLSchema
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  readonly #measured = new Map<string, number>()
  readonly #letters = new WeakMap<object, number>()
  readonly #variables: Record<string, unknown>
  readonly #roots: readonly (GraphQLNamedType | null | undefined)[]
  /** The hits of each group that the search around a field asks for. */
  #groupSize = 0

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.#schema = schema
    this.#roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
    for (const node of document.definitions) {
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(node.name.value, node)
    }
    const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
    )
    this.#variables = { ...Object.fromEntries(defaults), ...variables }
  }

  /** `length` is the length of the lists directly in the type, if an argument of the field around it set one. */
  ofSet(set: SelectionSetNode, type: GraphQLNamedType, length: number | null): number {
    return set.selections.reduce((sum, node) => sum + this.#ofSelection(node, type, length), 0)
  }

  #ofSelection(node: SelectionNode, type: GraphQLNamedType, length: number | null): number {
    if (node.kind === Kind.FIELD) return this.#ofField(node, type, length)
    if (node.kind === Kind.FRAGMENT_SPREAD) return this.#ofFragment(node.name.value, length)
    const condition = node.typeCondition && this.#schema.getType(node.typeCondition.name.value)
    return this.ofSet(node.selectionSet, condition ?? type, length)
  }

  #ofFragment(name: string, length: number | null): number {
    const key = `${name} ${length} ${this.#groupSize}`
    const known = this.#measured.get(key)
    if (known !== undefined) return known
    const fragment = this.#fragments.get(name)
    const type = fragment && this.#schema.getType(fragment.typeCondition.name.value)
    const cost = fragment && type ? this.ofSet(fragment.selectionSet, type, length) : 0
    this.#measured.set(key, cost)
    return cost
  }

  #ofField(node: FieldNode, type: GraphQLNamedType, length: number | null): number {
    const name = node.name.value
    // Introspection: any number of constants of the schema.
    if (name.startsWith('__')) return fieldsOf(node)
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined
    if (!field) return fieldWeight
    const own = this.#roots.includes(type) ? this.#rootWeight(name, type, node) + this.#weightOfSent(node) : fieldWeight
    if (!node.selectionSet) return own
    if (this.#roots.includes(type)) this.#groupSize = this.#groupSizeOf(node)
    const said = type.name === 'HitGroup' ? this.#groupSize : this.#lengthOf(field, node)
    const below = this.ofSet(node.selectionSet, getNamedType(field.type), said)
    const items = said ?? length ?? listLengths[name] ?? unknownLength
    return own + below * (isListType(getNullableType(field.type)) ? items : 1)
  }

  #rootWeight(name: string, type: GraphQLNamedType, node: FieldNode): number {
    if (name === 'search' || name === 'searchAs' || name === 'answer') return this.#weightOfSearches(name, node)
    if (name === 'evaluate') return this.#weightOfEvaluation(node)
    return operationOf(name)?.weight ?? (type === this.#schema.getMutationType() ? mutationWeight : fieldWeight)
  }

  #inputOf(node: FieldNode): Record<string, unknown> {
    const given = node.arguments?.find((argument) => argument.name.value === 'input')
    const input = given && valueFromASTUntyped(given.value, this.#variables)
    return isObject(input) ? input : {}
  }

  /** Without `groupBy` a hit has no group. */
  #groupSizeOf(node: FieldNode): number {
    const { groupBy, groupSize } = this.#inputOf(node)
    if (groupBy === undefined || groupBy === null) return 0
    return groupSize === undefined ? 1 : lengthFrom(groupSize, maxGroupSize)
  }

  #weightOfSearches(name: string, node: FieldNode): number {
    const { q, answer, maxSteps } = this.#inputOf(node)
    const asked = typeof q === 'string' ? queryWeight * Math.floor(q.length / 100) : 0
    if (name !== 'answer' && answer !== true) return searchWeight + asked
    const searches = typeof maxSteps === 'number' ? Math.min(maxSteps, maxSearches) : coveredSearches
    return operations.answer.weight + asked + searchWeight * Math.max(0, searches - coveredSearches)
  }

  #weightOfEvaluation(node: FieldNode): number {
    const given = node.arguments?.find((argument) => argument.name.value === 'limit')
    const limit = given && valueFromASTUntyped(given.value, this.#variables)
    const queries = typeof limit === 'number' ? Math.min(limit, maxQueries) : coveredQueries
    return operations.evaluate.weight + searchWeight * Math.max(0, queries - coveredQueries)
  }

  /** By all arguments, however they are sent. */
  #weightOfSent(node: FieldNode): number {
    const sent = (node.arguments ?? []).map(({ value }) => valueFromASTUntyped(value, this.#variables))
    const letters = sent.reduce((sum: number, value) => sum + this.#lettersOf(value), 0)
    const items = sent.reduce((sum: number, value) => sum + itemsOf(value), 0)
    return itemsWeight * Math.floor(items / 100) + Math.floor(letters / lettersPerWeight)
  }

  /** Values of variables are measured once, however often they are sent. */
  #lettersOf(value: unknown): number {
    if (typeof value === 'string') return value.length
    if (typeof value !== 'object' || value === null) return 0
    const known = this.#letters.get(value)
    if (known !== undefined) return known
    const letters =
      Array.isArray(value) && isNumbers(value)
        ? value.length * lettersPerNumber
        : Object.values(value).reduce((sum: number, member) => sum + this.#lettersOf(member), 0)
    this.#letters.set(value, letters)
    return letters
  }

  /** The lengths of the lists in the field's result, by its arguments; the maximum for missing arguments. */
  #lengthOf(field: GraphQLField<unknown, unknown>, node: FieldNode): number | null {
    const sent = new Map(
      (node.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, this.#variables)]),
    )
    let length: number | null = null
    const take = (name: string, value: unknown) => {
      const max = lengthArguments[name]
      if (max !== undefined) length = Math.max(length ?? 0, lengthFrom(value, max))
    }
    for (const { name, type } of field.args) {
      const value = sent.get(name)
      take(name, value)
      const input = getNullableType(type)
      if (!isInputObjectType(input)) continue
      const members = isObject(value) ? value : {}
      for (const member of Object.keys(input.getFields())) take(member, members[member])
    }
    return length
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isNumbers = (list: readonly unknown[]) => typeof list[0] === 'number'

/** The members of the lists in a value, without what is in them. */
function itemsOf(value: unknown): number {
  if (Array.isArray(value)) return isNumbers(value) ? 0 : value.length
  return isObject(value) ? Object.values(value).reduce((sum: number, member) => sum + itemsOf(member), 0) : 0
}

function lengthFrom(value: unknown, max: number): number {
  const length = Array.isArray(value) ? value.length : value
  return typeof length === 'number' && length >= 0 ? Math.min(length, max) : max
}

function fieldsOf(node: FieldNode): number {
  const below = node.selectionSet?.selections.reduce(
    (sum, selection) => sum + (selection.kind === Kind.FIELD ? fieldsOf(selection) : fieldWeight),
    0,
  )
  return fieldWeight + (below ?? 0)
}

/**
 * Estimates the cost of each operation, reports it in every answer, and refuses operations over the limit before they
 * run.
 */
export function limitCost(limit: number): Plugin {
  const estimates = new WeakMap<Request, number>()

  const refusal = (context: unknown) => {
    const requested = estimates.get((context as { request: Request }).request) ?? 0
    if (requested <= limit) return null
    const originalError = badRequest(
      `the operation may cost at most ${limit}, and this one may cost ${requested}: request less at once`,
    )
    return { errors: [new GraphQLError(originalError.detail, { originalError })] }
  }

  const withCost = (result: ExecutionResult, request: Request) => ({
    ...result,
    extensions: { ...result.extensions, ...costExtension(estimates.get(request) ?? 0, limit) },
  })

  return {
    onValidate({ params: { schema, documentAST }, context }) {
      return ({ valid }) => {
        if (!valid) return
        const { request, params } = context as { request: Request; params: Sent }
        const { operationName, variables } = params
        estimates.set(request, costOf({ schema, document: documentAST, operationName, variables }))
      }
    },
    onExecute({ context, setResultAndStopExecution }) {
      const refused = refusal(context)
      if (refused) setResultAndStopExecution(refused)
    },
    onSubscribe({ args: { contextValue }, setResultAndStopExecution }) {
      const refused = refusal(contextValue)
      if (refused) setResultAndStopExecution(refused)
      return {
        onSubscribeResult: () => ({
          onNext: ({ result, setResult }) => setResult(withCost(result, contextValue.request)),
        }),
      }
    },
    onResultProcess({ request, result, setResult }) {
      if (Symbol.asyncIterator in result || Array.isArray(result)) return
      setResult(withCost(result, request))
    },
  }
}

/** The cost in an answer; 0 for a request that is not an operation. */
export const costExtension = (requested: number, limit: number) => ({ cost: { requested, limit } })

interface Sent {
  operationName?: string | null
  variables?: Record<string, unknown> | null
}
