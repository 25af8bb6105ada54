import type { OpenFile } from '../../../ports/format.ts'

const start = ({ headText }: OpenFile) => (headText ?? '').slice(0, 200)

export const isVtt = (file: OpenFile): boolean => /^WEBVTT(?!\S)/.test(start(file))

export const isSrt = (file: OpenFile): boolean =>
  /^\s*\d+\s*\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3}\s*-->\s*\d{1,2}:/.test(start(file))
