import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { badRequest } from '../../errors.ts'
import { costOf } from './cost.ts'

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
