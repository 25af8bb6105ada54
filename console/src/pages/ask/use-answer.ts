import { keepPreviousData, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { ServiceError } from '../../graphql/service-error.ts'
import { subscribe } from '../../graphql/subscribe.ts'
import { type RequestOptions, request } from '../../graphql/transport.ts'
import { useSelection } from '../../session/selection.ts'
import { AskAsItIsMadeDocument, AskDocument, type AskedFragment, type SentenceFragment } from './generated/graphql.ts'

const none: readonly SentenceFragment[] = []

/** The answer to a question, and its sentences while it is being written. Nothing is asked while `q` is empty. */
export function useAnswer(q: string) {
  const selection = useSelection()
  const client = useQueryClient()
  const key = ['answer', selection.namespace, selection.scope, q]
  const soFarKey = [...key, 'so far']
  const answer = useQuery<AskedFragment, ServiceError>({
    queryKey: key,
    queryFn: ({ signal }) => {
      client.setQueryData(soFarKey, none)
      return answerOf(q, { selection, signal }, (sentence) =>
        client.setQueryData(soFarKey, (all: typeof none = none) => [...all, sentence]),
      )
    },
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  const soFar = useQuery<typeof none>({ queryKey: soFarKey, queryFn: skipToken })
  return { ...answer, soFar: soFar.data ?? none }
}

/** By the subscription; whole, by the query, if that breaks. */
async function answerOf(
  q: string,
  options: RequestOptions,
  onSentence: (sentence: SentenceFragment) => void,
): Promise<AskedFragment> {
  const variables = { input: { q } }
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
  throw new ServiceError('The answer has no data.', { code: 'internal_error', status: 0, requestId: null })
}

/** The query would be refused alike. A caller with too many open subscriptions (429) can still ask. */
const isRefusal = (error: unknown) =>
  error instanceof ServiceError && error.status >= 400 && error.status < 500 && error.status !== 429
