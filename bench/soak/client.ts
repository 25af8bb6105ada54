export interface Reply {
  status: number
  headers: Headers
  // Bodies are taken apart where they are used.
  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types
  body: any
}

/** A caller of the service. Each method throws unless the answer is the expected one. */
export interface Client {
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  graphql(query: string, variables?: object): Promise<Reply['body']>
}

/** `credential` is a header: a bearer token or a cookie. */
export function createClient(url: string, credential: Record<string, string>): Client {
  const send: Client['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-svc-scope': 'soak', ...credential, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
  }
  return {
    send,
    graphql: async (query, variables = {}) => {
      const { body } = await send('POST', '/graphql', { query, variables })
      if (body.errors) throw new Error(`GraphQL answered ${JSON.stringify(body.errors).slice(0, 500)}`)
      return body.data
    },
  }
}
