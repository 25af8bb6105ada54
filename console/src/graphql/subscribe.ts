import { currentKey, reportUnauthorized } from '../session/credential.ts'
import { type GraphqlProblem, noAnswer, toServiceError } from './service-error.ts'
import { type RequestOptions, send, type TypedDocument } from './transport.ts'

/** The events of a subscription (GraphQL over SSE), until it completes or `signal` aborts. Throws a ServiceError. */
export async function* subscribe<Result, Variables>(
  document: TypedDocument<Result, Variables>,
  variables: Variables,
  options: RequestOptions = {},
): AsyncGenerator<Result> {
  const key = currentKey()
  const response = await send(document, variables, { ...options, accept: 'text/event-stream' })
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'complete') return
    if (event !== 'next') continue
    const answer: { data?: Result | null; errors?: GraphqlProblem[] } = JSON.parse(data)
    const problem = answer.errors?.[0]
    if (problem !== undefined) {
      const error = toServiceError(problem, response)
      if (error.status === 401) reportUnauthorized(key)
      throw error
    }
    if (answer.data != null) yield answer.data
  }
}

async function* eventsOf(response: Response): AsyncGenerator<{ event: string; data: string }> {
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('text/event-stream') || response.body === null) {
    const answer: { errors?: GraphqlProblem[] } = /\bjson\b/.test(type) ? await response.json() : {}
    throw toServiceError(answer.errors?.[0] ?? { message: noAnswer(response.status) }, response)
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const blocks = (rest + next.value.replaceAll('\r\n', '\n')).split('\n\n')
      rest = blocks.pop() ?? ''
      yield* blocks.map(toEvent)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function toEvent(block: string): { event: string; data: string } {
  const of = (name: string) =>
    block.split('\n').flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1).trimStart()] : []))
  return { event: of('event')[0] ?? 'message', data: of('data').join('\n') }
}
