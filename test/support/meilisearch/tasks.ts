import { setTimeout as sleep } from 'node:timers/promises'
import { errorBody, RefusalError } from './refusal.ts'

export interface LocalTask {
  uid: number
  status: 'enqueued' | 'processing' | 'succeeded' | 'failed' | 'canceled'
  type: string
  indexUid: string
  error: object | null
}

/** How a test controls future tasks. */
export interface TaskControl {
  /** The minimum time of each task. */
  delayMs: number
  /** No task runs until it resolves. */
  gate: Promise<void> | null
  /** Outcomes of the next tasks, which replace their work; the first entry applies first. */
  fates: ('failed' | 'canceled' | 'lost')[]
}

/** A queue that runs tasks one at a time, in order of arrival. */
export class TaskQueue {
  readonly control: TaskControl = { delayMs: 0, gate: null, fates: [] }
  readonly tasks: LocalTask[] = []
  #last: Promise<void> = Promise.resolve()

  enqueue(type: string, indexUid: string, work: () => void): object {
    const task: LocalTask = { uid: this.tasks.length, status: 'enqueued', type, indexUid, error: null }
    this.tasks.push(task)
    this.#last = this.#last.then(() => this.#process(task, work))
    return { taskUid: task.uid, indexUid, status: 'enqueued', type, enqueuedAt: new Date().toISOString() }
  }

  find(uid: number): LocalTask {
    const task = this.tasks[uid]
    if (!task) throw new RefusalError(404, 'task_not_found')
    return task
  }

  async #process(task: LocalTask, work: () => void): Promise<void> {
    await this.control.gate
    task.status = 'processing'
    if (this.control.delayMs > 0) await sleep(this.control.delayMs, undefined, { ref: false })
    const fate = this.control.fates.shift()
    if (fate === 'lost') delete this.tasks[task.uid]
    if (fate === 'canceled') task.status = 'canceled'
    if (fate === 'failed') this.#fail(task, new RefusalError(500, 'internal', 'it did not work'))
    if (fate !== undefined) return
    try {
      work()
      task.status = 'succeeded'
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error
      this.#fail(task, error)
    }
  }

  #fail(task: LocalTask, { code, message }: RefusalError): void {
    task.status = 'failed'
    task.error = errorBody(code, message)
  }
}
