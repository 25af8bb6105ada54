import { type ServerProcess, type StartOptions, startServerProcess } from '../../test/support/process/server-process.ts'

/** A long timeout, for an index of millions of Units. */
const timeoutMs = 600_000

/** The service in its own process on a free local port. Settings of the index come from the environment. */
export function startService(
  dataDir: string,
  settings: Record<string, string> = {},
  options: StartOptions = {},
): Promise<ServerProcess> {
  const ofIndex = Object.entries(process.env).filter(([name]) => name.startsWith('INDEX_')) as [string, string][]
  return startServerProcess(
    {
      ...Object.fromEntries(ofIndex),
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      INGEST_WAIT_MS: `${timeoutMs}`,
      LOG_LEVEL: 'error',
      ...settings,
    },
    { timeoutMs, ...options },
  )
}

/** Stops it as an operator does. */
export async function stopService(service: ServerProcess): Promise<void> {
  service.kill('SIGTERM')
  const { code, signal } = await service.exited
  if (code !== 0) throw new Error(`the service ended with ${signal ?? code}:\n${service.stderr}`)
}

/** A JSON request that is not measured; throws unless it succeeds. */
export async function call(origin: string, path: string, body: object, token?: string): Promise<unknown> {
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}
