import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { pauseAfter } from '../../../async/backoff.ts'
import { type Connection, callMs } from './connection.ts'
import { failure, safeCode } from './failure.ts'

/** Most tasks take some ms; those behind a long queue are polled less and less often. */
const pollMs = { first: 5, max: 500, factor: 1.5 }

const taskShape = z.object({
  status: z.string(),
  error: z.object({ code: z.string() }).nullish(),
})

export const enqueuedShape = z.object({ taskUid: z.number() })

/**
 * Resolves when the task is done. Throws RemoteError `failed` with the engine's reason if the task failed or was
 * canceled, `timeout` when the signal ends the waiting, and `refused` if the engine does not know the task.
 */
export async function awaitTask(connection: Connection, taskUid: number, signal: AbortSignal): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const { status, error } = await connection.call({ ms: callMs.other, signal }, async (client) =>
      taskShape.parse(await client.tasks.getTask(taskUid)),
    )
    if (status === 'succeeded') return
    if (status === 'failed') throw failure('failed', 'failed a task', { vendorCode: safeCode(error?.code) })
    if (status === 'canceled') throw failure('failed', 'canceled a task')
    if (status !== 'enqueued' && status !== 'processing') {
      throw failure('malformed', 'answered in no known shape')
    }
    await sleep(pauseAfter(pollMs, looks), undefined, { signal }).catch(() => {})
    if (signal.aborted) throw failure('timeout', 'did not finish a task in time')
  }
}
