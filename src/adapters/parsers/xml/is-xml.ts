import type { OpenFile } from '../../../ports/format.ts'

export const isXml = ({ headText }: OpenFile): boolean => /^\s*<\?xml\s/.test(headText ?? '')
