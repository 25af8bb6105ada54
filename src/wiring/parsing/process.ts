import { Worker } from 'node:worker_threads'
import { answerCalls } from '../../async/calls.ts'
import { ParseError } from '../../ports/parser.ts'
import type { ParserCalls, Reply, Request, WatchdogData } from './messages.ts'
import { pagePictures } from './page-pictures.ts'
import { parseFile } from './parse-file.ts'

// A process that parses files, one at a time. A file that exhausts its memory or its time takes nothing else with it.

const workerData: WatchdogData = { parent: process.ppid, maxBytes: Number(process.argv[2]) }
new Worker(new URL('./watchdog.ts', import.meta.url), { workerData }).unref()

async function answer(request: Request): Promise<Reply> {
  try {
    const { file, pages } = request
    const result = await (pages ? pagePictures(file, pages) : parseFile(file))
    return { result, memory: process.memoryUsage.rss() }
  } catch (error) {
    const { reason, detail } = error instanceof ParseError ? error : internal
    return { reason, detail, memory: process.memoryUsage.rss() }
  }
}

const internal = { reason: 'internal', detail: 'The file could not be parsed.' } as const

answerCalls<ParserCalls>({ parse: answer })
process.on('disconnect', () => process.exit())
