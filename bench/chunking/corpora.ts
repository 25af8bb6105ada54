import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Span } from '../../src/ports/format.ts'

export interface Corpus {
  name: string
  text: string
  /** `references`: the spans of the text that answer the question. */
  questions: { question: string; references: Span[] }[]
}

const directory = new URL('../../../shared/data/chunking/', import.meta.url)

/** The corpora beside the project; none where they are absent. */
export function readCorpora(): Corpus[] {
  if (!existsSync(directory)) return []
  const names = readdirSync(directory).flatMap((file) => /^(.+)\.questions\.jsonl$/.exec(file)?.[1] ?? [])
  return names.map((name) => ({
    name,
    text: readFileSync(new URL(`${name}.md`, directory), 'utf8'),
    questions: readFileSync(new URL(`${name}.questions.jsonl`, directory), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }))
}
