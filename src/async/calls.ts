import { parentPort } from 'node:worker_threads'

/** The calls that a thread or a process answers, by name. What they take and return is sent as structured clones. */
export type Calls<C> = { [N in keyof C]: { ask: unknown; answer: unknown } }

export interface Call {
  id: number
  name: PropertyKey
  ask: unknown
}

export type Reply = { id: number; answer: unknown } | { id: number; error: unknown }

/** Sent by a thread that is about to end itself. */
export interface LastWords {
  ends: Error
}

export type Handlers<C extends Calls<C>> = {
  [N in keyof C]: (ask: C[N]['ask']) => C[N]['answer'] | Promise<C[N]['answer']>
}

const post = (message: Reply[] | LastWords): void => {
  if (parentPort) parentPort.postMessage(message)
  else process.send?.(message)
}

/** In a thread or a process: answers what its `WorkerHost` asks, from now on. */
export function answerCalls<C extends Calls<C>>(handlers: Handlers<C>): void {
  let late: Reply[] = []
  /** What is settled in one turn goes in one message. */
  const postLate = (reply: Reply): void => {
    if (late.length === 0)
      queueMicrotask(() => {
        const replies = late
        late = []
        post(replies)
      })
    late.push(reply)
  }
  const answerLater = (id: number, answer: Promise<unknown>): void => {
    answer.then(
      (answer) => postLate({ id, answer }),
      (error: unknown) => postLate({ id, error }),
    )
  }
  /** Answers immediately all calls that need no waiting, in one message. */
  const take = (calls: readonly Call[]): void => {
    const replies: Reply[] = []
    for (const { id, name, ask } of calls) {
      try {
        const answer: unknown = handlers[name as keyof C](ask)
        if (answer instanceof Promise) answerLater(id, answer)
        else replies.push({ id, answer })
      } catch (error) {
        replies.push({ id, error })
      }
    }
    if (replies.length > 0) post(replies)
  }
  if (parentPort) parentPort.on('message', take)
  else process.on('message', take)
  // Says that the modules are loaded.
  post([])
}

/** In a thread: ends it at once. Its host learns why. */
export function endThread(reason: string): never {
  post({ ends: new Error(reason) })
  process.exit(1)
}
