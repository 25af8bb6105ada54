import type { Browser, Page } from 'playwright-core'

/** A task of the main thread of a page, in milliseconds. */
export interface Task {
  byClock: number
  /** What the thread itself used: other processes on the machine do not add to it, a slowed CPU does. */
  ofThread: number
}

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** In microseconds, by the clock and of the thread. */
  dur?: number
  tdur?: number
  args?: { name?: string }
}

/** The tasks of the main threads of pages while `work` runs. Only one page may be open. */
export async function tasksDuring(browser: Browser, page: Page, work: () => Promise<void>): Promise<Task[]> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] })
  await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const main = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  )
  const tasks = traceEvents
    .filter((event) => event.name === 'RunTask' && event.ph === 'X' && main.has(threadOf(event)))
    .map(({ dur = 0, tdur = 0 }) => ({ byClock: dur / 1000, ofThread: tdur / 1000 }))
  if (!tasks.some(({ ofThread }) => ofThread > 0)) throw new Error('the browser does not report the time of threads')
  return tasks
}
