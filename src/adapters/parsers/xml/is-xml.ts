import type { OpenFile } from '../../../ports/format.ts'

export const isXml = ({ head }: OpenFile): boolean =>
  /^\s*<\?xml\s/.test(new TextDecoder().decode(head.subarray(0, 200)))
