import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { createServer as createTlsServer } from 'node:tls'

export interface SmtpServerOptions {
  /** Offers STARTTLS with it. */
  certificate?: { cert: string; key: string }
  /** The reply to the next commands of this verb, instead of success; removed when it was sent. */
  failures?: { verb: string; reply: string }[]
}

/** An SMTP server (RFC 5321, RFC 3207) that keeps the commands and the messages it gets. */
export async function startSmtpServer({ certificate, failures = [] }: SmtpServerOptions = {}) {
  /** Each with whether it came through TLS. */
  const commands: { line: string; isEncrypted: boolean }[] = []
  const messages: string[] = []
  const sockets = new Set<Socket>()

  const encrypted = createTlsServer(certificate ?? {}, (socket) => talk(socket, true))
  encrypted.on('tlsClientError', () => {})

  const talk = (socket: Socket, isEncrypted: boolean) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const say = (reply: string) => socket.write(`${reply}\r\n`)
    let body: string[] | null = null
    const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
    lines.on('error', () => {})
    lines.on('line', (line) => {
      if (body !== null) {
        if (line !== '.') return body.push(line)
        messages.push(body.join('\n'))
        body = null
        return say('250 taken')
      }
      commands.push({ line, isEncrypted })
      const verb = line.split(' ')[0]?.toUpperCase() ?? ''
      const failure = failures.findIndex((one) => one.verb === verb)
      if (failure >= 0) return say(failures.splice(failure, 1)[0]?.reply ?? '')
      if (verb === 'EHLO') {
        if (certificate && !isEncrypted) say('250-STARTTLS')
        return say('250 AUTH PLAIN')
      }
      if (verb === 'AUTH') return say('235 welcome')
      if (verb === 'DATA') {
        body = []
        return say('354 go on')
      }
      if (verb !== 'STARTTLS') return say(verb === 'QUIT' ? '221 bye' : '250 fine')
      lines.close()
      socket.removeAllListeners('data')
      encrypted.emit('connection', socket)
      say('220 ready')
    })
  }

  const server = createServer((socket) => {
    socket.write('220 mail.test\r\n')
    talk(socket, false)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    commands,
    messages,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
