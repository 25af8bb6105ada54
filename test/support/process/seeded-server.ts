import type { Reply } from '../boot.ts'
import { type ServerProcess, type StartOptions, startServerProcess } from './server-process.ts'

/** The server in its own process with the demo in it, called with the demo's admin key. */
export interface SeededServer extends AsyncDisposable {
  process: ServerProcess
  admin: string
  call(method: string, path: string, body?: object): Promise<Pick<Reply, 'status' | 'body'>>
}

export async function startSeededServer(env: Record<string, string>, options?: StartOptions): Promise<SeededServer> {
  const server = await startServerProcess(env, options)
  const seeded = await fetch(`${server.url}/v1/admin/seed`, { method: 'POST' })
  const { tokens } = (await seeded.json()) as { tokens: { admin: string } }
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' }
    const payload = body === undefined ? null : JSON.stringify(body)
    const response = await fetch(`${server.url}${path}`, { method, headers, body: payload })
    return { status: response.status, body: await response.json() }
  }
  return { process: server, admin: tokens.admin, call, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
