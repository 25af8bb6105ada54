/** A reply before encoding: a bulk string or null, an integer, a list, `ok` for a simple string, `error`. */
export type Reply = string | null | number | readonly Reply[] | { ok: string } | { error: string }

/** Encodes in version 2 of Redis' protocol (redis.io/docs/latest/develop/reference/protocol-spec). */
export function encode(reply: Reply): string {
  if (reply === null) return '$-1\r\n'
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`
  if (typeof reply === 'number') return `:${reply}\r\n`
  if ('ok' in reply) return `+${reply.ok}\r\n`
  if ('error' in reply) return `-${reply.error}\r\n`
  return `*${reply.length}\r\n${reply.map(encode).join('')}`
}

/** Parses commands (lists of bulk strings) from a stream of chunks. Throws for anything else. */
export function createCommandReader(): (chunk: Buffer) => string[][] {
  let pending: Buffer = Buffer.of()
  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    const commands: string[][] = []
    for (;;) {
      const read = readCommand(pending)
      if (read === null) return commands
      commands.push(read.words)
      pending = pending.subarray(read.end)
    }
  }
}

function readCommand(bytes: Buffer): { words: string[]; end: number } | null {
  const head = readHead(bytes, 0, '*')
  if (head === null) return null
  const words: string[] = []
  let { end } = head
  while (words.length < head.count) {
    const word = readHead(bytes, end, '$')
    if (word === null || bytes.length < word.end + word.count + 2) return null
    words.push(bytes.toString('utf8', word.end, word.end + word.count))
    end = word.end + word.count + 2
  }
  return { words, end }
}

function readHead(bytes: Buffer, start: number, type: '*' | '$'): { count: number; end: number } | null {
  const lineEnd = bytes.indexOf('\r\n', start)
  if (lineEnd < 0) return null
  const [, count] = new RegExp(`^\\${type}(\\d+)$`).exec(bytes.toString('utf8', start, lineEnd)) ?? []
  if (count === undefined) throw new Error('this is not a command of Redis')
  return { count: Number(count), end: lineEnd + 2 }
}
