import { Socket } from 'node:net'

// Loaded before a program, and in its threads: prints on stderr every network connection that it opens.

const connect = Socket.prototype.connect

Socket.prototype.connect = function (this: Socket, ...args: Parameters<typeof connect>) {
  const [target]: unknown[] = [args].flat(2)
  const isLocal = typeof target === 'object' && target !== null && 'path' in target && Boolean(target.path)
  if (!isLocal) process.stderr.write(`connects to ${JSON.stringify(target)}\n`)
  return connect.apply(this, args)
} as typeof connect
