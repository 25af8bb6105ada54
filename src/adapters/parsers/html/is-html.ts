import type { OpenFile } from '../../../ports/format.ts'

/** Whether a file begins as a page does, after comments. */
export function isHtml({ head }: OpenFile): boolean {
  let start = new TextDecoder('latin1').decode(head).replace(/^(ï»¿)?\s*(<\?xml[^>]*>\s*)?/, '')
  while (start.startsWith('<!--') && start.includes('-->')) start = start.slice(start.indexOf('-->') + 3).trimStart()
  return /^<(!doctype\s+html|html)[\s>]/i.test(start)
}
