import { badRequest, InvalidInputError, renderPath, rootCause, ServiceError } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import { idsOf, type RequestRecord } from '../request-record.ts'
import type { Execute, Executed } from './graphql-api.ts'
import { toVariables, type VariableType } from './input.ts'
import { toWirePath } from './names.ts'
import type { Operation } from './operation.ts'

/** An operation that can be run. */
export interface Runnable<Context> extends Operation {
  execute: Execute<Context>
}

/**
 * Runs an operation with variables in wire names, and returns its answer in wire names. Throws what the caller may see;
 * other faults are logged.
 */
export async function run<Context>(
  operation: Runnable<Context>,
  wire: Readonly<Record<string, unknown>>,
  context: Context,
  { record, log }: { record: Pick<RequestRecord, 'requestId' | 'traceId'>; log: Log },
): Promise<unknown> {
  const mapping = { fromUrl: operation.route.body === 'none' }
  const variables = toVariables(operation.variables, wire, mapping)
  const result = await operation.execute(variables, context)
  if (result.errors !== undefined && result.errors.length > 0) {
    // No data at all and no path: the variables were refused. Convert again, with parsing, to find the place.
    if (result.data === undefined) toVariables(operation.variables, wire, { ...mapping, explain: true })
    throw inVariables(failureOf(result.errors, record, log), operation.variables)
  }
  return answerOf(operation, result)
}

function answerOf(operation: Operation, { data }: Executed): unknown {
  return operation.bodyIsRoot ? data?.body : data
}

/** The first error that the caller may see, else the first one. Other faults are logged. */
function failureOf(
  errors: readonly Error[],
  record: Pick<RequestRecord, 'requestId' | 'traceId'>,
  log: Log,
): Error | undefined {
  const causes = errors.map(rootCause)
  const failure = causes.find((cause) => cause instanceof ServiceError) ?? causes[0]
  for (const err of causes) {
    if (err !== failure && !(err instanceof ServiceError)) log.error({ err, ...idsOf(record) }, 'a resolver failed')
  }
  return failure
}

/** An invalid argument is reported by the name of its variable: the name that a REST caller sent. */
function inVariables(failure: Error | undefined, variables: readonly VariableType[]): Error | undefined {
  if (!(failure instanceof InvalidInputError)) return failure
  const [first, ...rest] = failure.field
  const variable = variables.find(({ argument }) => argument?.name === first)
  return variable ? new InvalidInputError([variable.name, ...rest], failure.problem) : failure
}

/** Domain validation uses GraphQL names; callers of the wire get wire names. */
export function inWireNames(error: unknown): unknown {
  if (!(error instanceof InvalidInputError) || error.field.length === 0) return error
  return badRequest(`${renderPath(toWirePath(error.field))}: ${error.problem}`)
}
