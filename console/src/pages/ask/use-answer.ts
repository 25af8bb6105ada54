import { keepPreviousData, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { noAnswer, ServiceError } from '../../graphql/service-error.ts'
import { subscribe } from '../../graphql/subscribe.ts'
import { type RequestOptions, request } from '../../graphql/transport.ts'
import { useSelection } from '../../session/selection.ts'
import {
  AskAsItIsMadeDocument,
  AskDocument,
  type AskedFragment,
  type SearchInput,
  type SentenceFragment,
  type TurnInput,
} from './generated/graphql.ts'

const none: readonly SentenceFragment[] = []

/** Of a history: what the service takes. */
const [maxTurns, maxLength] = [10, 8_192]

/** A question, and what was asked and answered before it, oldest first. */
export interface Asked {
  q: string
  history: readonly TurnInput[]
}

/** What the service is asked with. */
export function inputOf({ q, history }: Asked): Pick<SearchInput, 'q' | 'history'> {
  const turns = history.slice(-maxTurns).map((turn) => ({ q: turn.q, answer: turn.answer.slice(0, maxLength) }))
  return turns.length === 0 ? { q } : { q, history: turns }
}

/** The answer to a question, and its sentences while it is being written. */
export function useAnswer(asked: Asked) {
  const selection = useSelection()
  const client = useQueryClient()
  const input = inputOf(asked)
  const key = ['answer', selection.namespace, selection.scope, input]
  const soFarKey = [...key, 'so far']
  const answer = useQuery<AskedFragment, ServiceError>({
    queryKey: key,
    queryFn: ({ signal }) => {
      client.setQueryData(soFarKey, none)
      return answerOf(input, { selection, signal }, (sentence) =>
        client.setQueryData(soFarKey, (all: typeof none = none) => [...all, sentence]),
      )
    },
    placeholderData: keepPreviousData,
    // A conversation that one comes back to is not held once more.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const soFar = useQuery<typeof none>({ queryKey: soFarKey, queryFn: skipToken })
  return { ...answer, soFar: soFar.data ?? none }
}

/** By the subscription; whole, by the query, if that breaks. */
async function answerOf(
  input: SearchInput,
  options: RequestOptions,
  onSentence: (sentence: SentenceFragment) => void,
): Promise<AskedFragment> {
  const variables = { input }
  try {
    for await (const { answer } of subscribe(AskAsItIsMadeDocument, variables, options)) {
      if (answer.__typename === 'AnswerSentence') onSentence(answer)
      if (answer.__typename === 'AnswerFinished') return answer.result
    }
  } catch (error) {
    if (options.signal?.aborted || isRefusal(error)) throw error
  }
  const { answer } = await request(AskDocument, variables, options)
  if (answer) return answer
  throw new ServiceError(noAnswer(0), { code: 'internal_error', status: 0, requestId: null })
}

/** The query would be refused alike. A caller with too many open subscriptions (429) can still ask. */
const isRefusal = (error: unknown) =>
  error instanceof ServiceError && error.status >= 400 && error.status < 500 && error.status !== 429
