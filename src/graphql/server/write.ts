import { GraphQLError, getOperationAST, OperationTypeNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { ServiceError } from '../../errors.ts'
import { type SentKey, seqHeader } from '../../model/request.ts'
import type { GraphqlContext } from '../builder/builder.ts'

/** `text` is the answer under a key; without one it is null, and `value` is the answer. */
interface Answered<T> {
  value: T | undefined
  text: string | null
}

/** Runs a write of a caller, and notes what the head of its answer says of it. */
export type WriteOf<Context> = <T>(
  context: Context,
  sent: SentKey | null,
  act: () => Promise<T>,
  textOf: (value: T) => Promise<string | null>,
) => Promise<Answered<T>>

export function createWriteOf(brand: string): WriteOf<GraphqlContext> {
  const header = seqHeader(brand).toLowerCase()
  return async ({ domain, session, headers, keepPlain }, sent, act, textOf) => {
    // Also when it is answered again: then no field is resolved.
    keepPlain()
    const { value, text, seq, replayed } = await domain.write(session, sent, act, textOf)
    if (seq !== null) headers[header] = `${seq}`
    if (replayed) headers['idempotency-replayed'] = 'true'
    return { value, text }
  }
}

/** What the HTTP layer passes in addition to a request. */
export interface Keyed {
  /** Reads the key of the request. Throws a 400 for one that is malformed. */
  sentKey(): Promise<SentKey | null>
}

/** Runs mutations as writes. An answer with errors is not kept. */
export function writing<Context extends object>(writeOf: WriteOf<Context>): Plugin<Keyed> {
  return {
    onExecute({ args: { document, operationName, contextValue }, executeFn, setExecuteFn }) {
      if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.MUTATION) return
      setExecuteFn(async (args) => {
        const context = contextValue as unknown as Context & Keyed
        try {
          const sent = await context.sentKey()
          const act = async (): Promise<object> => await executeFn(args)
          const { value, text } = await writeOf(context, sent, act, async (result) =>
            'errors' in result && result.errors ? null : JSON.stringify(result),
          )
          return text === null ? value : JSON.parse(text)
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error
          return { errors: [new GraphQLError(error.detail, { originalError: error })] }
        }
      })
    },
  }
}
