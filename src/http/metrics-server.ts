import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OperatorError } from '../model/operator-error.ts'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Serves `GET` and `HEAD /metrics`, after `refresh`, which must not fail. */
export async function startMetricsServer(
  registry: { contentType: string; metrics(): Promise<string> },
  { host, port, token }: { host: string; port: number; token: string | undefined },
  refresh: () => Promise<void>,
): Promise<{ url: string; close(): Promise<void> }> {
  const expected = token === undefined ? null : digest(`Bearer ${token}`)
  const server = createServer(async ({ method = '', url = '', headers }, outgoing) => {
    if (!['GET', 'HEAD'].includes(method) || url.split('?')[0] !== '/metrics') return outgoing.writeHead(404).end()
    if (expected !== null && !timingSafeEqual(expected, digest(headers.authorization ?? ''))) {
      return outgoing.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    }
    await refresh()
    const text = await registry.metrics()
    const length = Buffer.byteLength(text)
    return outgoing.writeHead(200, { 'content-type': registry.contentType, 'content-length': length }).end(text)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      reject(
        new OperatorError(`cannot start: no metrics on ${host}:${port} (${code}); set METRICS_HOST or METRICS_PORT`),
      )
    })
    server.listen(port, host, resolve)
  })
  const opened = (server.address() as AddressInfo).port
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${opened}/metrics`, close }
}
