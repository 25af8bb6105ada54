import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import { tempDir } from '../temp-dir.ts'

const run = promisify(execFile)

/** A certificate for 127.0.0.1 that no client trusts yet; null without openssl. */
export async function makeCertificate(): Promise<{ cert: string; key: string } | null> {
  const folder = tempDir('certificate')
  const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')]
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  try {
    await run('openssl', [...kind, ...subject, '-keyout', key, '-out', cert])
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } catch {
    return null
  } finally {
    folder.remove()
  }
}

/** A TLS proxy to a port of this machine. */
export async function startTlsFront(port: number, certificate: { cert: string; key: string }) {
  const sockets = new Set<Socket>()
  const server = createServer(certificate, (outer) => {
    const inner = connect(port, '127.0.0.1')
    for (const socket of [outer, inner]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    outer.pipe(inner).pipe(outer)
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
