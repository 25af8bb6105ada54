import type { OpenFile } from '../../../ports/format.ts'

/** Whether a file begins as a page does, after comments. */
export function isHtml({ headText }: OpenFile): boolean {
  let start = (headText ?? '').replace(/^\s*(<\?xml[^>]*>\s*)?/, '')
  while (start.startsWith('<!--') && start.includes('-->')) start = start.slice(start.indexOf('-->') + 3).trimStart()
  return /^<(!doctype\s+html|html)[\s>]/i.test(start)
}
