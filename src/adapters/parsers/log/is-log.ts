import type { OpenFile } from '../../../ports/format.ts'
import { timeOf } from './log-line.ts'

const minLines = 10

/** Whether a file that could be any text is a log: most of its lines begin with a time. */
export function isLog({ extension, headText }: OpenFile): boolean {
  if (!/^(txt|text|out|err|\d{0,8})$/.test(extension)) return false
  const lines = (headText ?? '').split('\n').slice(0, 100)
  const timed = lines.filter((line) => timeOf(line.trimEnd()) !== null).length
  return lines.length >= minLines && timed >= lines.length * 0.8
}
