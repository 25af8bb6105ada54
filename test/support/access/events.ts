import type { TestApp } from '../boot.ts'

/** An event of a GraphQL subscription over SSE. */
export interface SentEvent {
  event: string
  // Data is checked field by field in the tests themselves.
  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types
  data: any
}

/** Starts a subscription; the answer's body is a stream of events. */
export const subscribe = ({ app }: TestApp, token: string, query: string, variables: object = {}): Promise<Response> =>
  app.fetch(
    new Request('http://localhost/graphql', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'x-request-id': 'the-same',
      },
      body: JSON.stringify({ query, variables }),
    }),
  )

/** The events of a stream, as they come. */
export async function* eventsOf(response: Response): AsyncGenerator<SentEvent> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const fields = new Map(
        part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      )
      const data = fields.get('data')
      if (fields.has('event')) yield { event: fields.get('event') ?? '', data: data ? JSON.parse(data) : null }
    }
  }
}
