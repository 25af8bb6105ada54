import type { CallOptions, Reply, TestApp } from '../boot.ts'

/** A browser on the service's own pages: it keeps cookies and sends Origin and Sec-Fetch-Site headers. */
export interface Browser {
  /** Cookies: name -> value, as the server set them. */
  cookies: Map<string, string>
  call(method: string, path: string, options?: CallOptions): Promise<Reply>
  graphql(query: string, options?: CallOptions): Promise<Reply>
  /** Uses a long enough password. */
  signUp(email: string): Promise<Reply>
  signIn(email: string, password?: string): Promise<Reply>
}

export const password = 'correct horse battery staple'

export function openBrowser(app: TestApp): Browser {
  const cookies = new Map<string, string>()
  const call: Browser['call'] = async (method, path, options = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { 'sec-fetch-site': 'same-origin', origin: 'http://localhost', ...options.headers }
    const reply = await app.call(method, path, {
      ...options,
      headers: cookie === '' ? headers : { cookie, ...headers },
    })
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return reply
  }
  return {
    cookies,
    call,
    graphql: (query, options) => call('POST', '/graphql', { ...options, body: { query } }),
    signUp: (email) => call('POST', '/api/auth/sign-up/email', { body: { name: 'Ada', email, password } }),
    signIn: (email, given = password) => call('POST', '/api/auth/sign-in/email', { body: { email, password: given } }),
  }
}
