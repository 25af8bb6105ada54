/** A minimal `node:http` server that returns recorded responses: the upper limit of the platform. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A recorded response. */
export interface Recording {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

process.once('message', (recordings: Recording[]) => {
  const answers = new Map(
    recordings.map(({ method, path, headers, body }) => [`${method} ${path}`, { headers, body: Buffer.from(body) }]),
  )
  const server = createServer(async (request, response) => {
    const answer = answers.get(`${request.method} ${request.url}`)
    if (request.method === 'POST') JSON.parse(await bodyOf(request))
    response.writeHead(answer ? 200 : 404, answer?.headers)
    response.end(answer?.body)
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})
// The bench has ended.
process.once('disconnect', () => process.exit())

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => resolve(Buffer.concat(chunks).toString()))
    request.on('error', reject)
  })
}
