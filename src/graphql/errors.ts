import { GraphQLError } from 'graphql'
import { ServiceError } from '../errors.ts'

/** An error as GraphQL clients see it: `extensions` hold the code and status of the one error table. */
export function toGraphqlError(error: ServiceError, at?: GraphQLError): GraphQLError {
  return new GraphQLError(error.detail, {
    ...(at?.nodes === undefined ? {} : { nodes: at.nodes }),
    ...(at?.path === undefined ? {} : { path: at.path }),
    extensions: {
      code: error.code,
      status: error.status,
      ...(error.requiredTier === undefined ? {} : { required_tier: error.requiredTier }),
    },
  })
}

/** The same, answered with its HTTP status: for failures before anything was executed. */
export function toRequestError(error: ServiceError): GraphQLError {
  const shaped = toGraphqlError(error)
  return new GraphQLError(shaped.message, { extensions: { ...shaped.extensions, http: { status: error.status } } })
}

/**
 * What a caller may see of a failure. GraphQL's own complaints (syntax, validation, variables) pass; a ServiceError
 * becomes its detail and code; anything else is reported to `onUnexpected` and masked.
 */
export function maskError(error: unknown, onUnexpected: (error: unknown) => void): Error {
  const at = error instanceof GraphQLError ? error : undefined
  const root = rootCause(error)
  if (root instanceof ServiceError) return toGraphqlError(root, at)
  if (at !== undefined && (root instanceof GraphQLError || isVariableError(at))) return at
  onUnexpected(root)
  return toGraphqlError(new ServiceError('internal_error', 'internal error'), at)
}

function rootCause(error: unknown): unknown {
  let cause = error
  for (let depth = 0; depth < 8 && cause instanceof GraphQLError && cause.originalError; depth += 1) {
    cause = cause.originalError
  }
  return cause
}

/** A scalar may refuse a value with any Error. Such a failure has no path, because nothing was executed yet. */
function isVariableError(error: GraphQLError): boolean {
  return error.path === undefined && error.message.startsWith('Variable "$')
}
