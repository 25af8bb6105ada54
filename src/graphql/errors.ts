import { GraphQLError } from 'graphql'
import { rootCause, ServiceError } from '../errors.ts'

/**
 * What a caller may see of a failure. GraphQL's own complaints (syntax, validation, variables) pass; a ServiceError
 * becomes its detail, with code and status of the one error table; anything else is reported and masked. A failure
 * before execution, as when the caller cannot be resolved, also sets the HTTP status; a resolver's is part of a 200.
 */
export function maskError(error: GraphQLError, onUnexpected: (cause: unknown) => void): GraphQLError {
  const cause = rootCause(error)
  if (cause instanceof ServiceError) return render(cause, error)
  const unexpected = error.extensions.unexpected === true
  if (!unexpected && (cause instanceof GraphQLError || isVariableError(error))) return withoutInternals(error)
  onUnexpected(cause)
  return render(new ServiceError('internal_error', 'internal error'), error)
}

function render({ detail, code, status, requiredTier }: ServiceError, { nodes, path }: GraphQLError): GraphQLError {
  return new GraphQLError(detail, {
    ...(nodes === undefined ? {} : { nodes }),
    ...(path === undefined ? {} : { path }),
    extensions: {
      code,
      status,
      ...(requiredTier === undefined ? {} : { required_tier: requiredTier }),
      // The server reads this key and takes it out.
      ...(path === undefined ? { http: { status } } : {}),
    },
  })
}

/** A scalar may refuse a value with any Error. Such a failure has no path, because nothing was executed yet. */
function isVariableError(error: GraphQLError): boolean {
  return error.path === undefined && error.message.startsWith('Variable "$')
}

/** For a body that is not JSON the server adds the engine's own message, and would answer 200. */
function withoutInternals(error: GraphQLError): GraphQLError {
  if (!('originalError' in error.extensions)) return error
  return new GraphQLError(error.message, { extensions: { code: error.extensions.code, http: { status: 400 } } })
}
