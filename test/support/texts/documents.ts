import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Every page of the project, by its path from the root. */
export const pages: readonly string[] = globSync('{*.md,docs/**/*.md,deploy/*.md,bench/*.md,examples/*.md}', {
  cwd: root,
}).sort()

export const readPage = (page: string): string => readFileSync(`${root}${page}`, 'utf8')

export interface Block {
  /** The text after the opening fence: `sh run` marks a command that a test runs. */
  info: string
  text: string
}

export const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^```([^\n`]*)\n([\s\S]*?)^```$/gm)].map(([, info = '', text = '']) => ({ info, text }))

export interface Example {
  command: string
  /** The expected output on the page; null if there is none. */
  output: string | null
}

/** The commands of a page that tests run. The next block, one without a language, holds the expected output. */
export function examplesOf(markdown: string): Example[] {
  const blocks = blocksOf(markdown)
  return blocks.flatMap(({ info, text }, i) => {
    const next = blocks[i + 1]
    return info === 'sh run' ? [{ command: text, output: next?.info === '' ? next.text : null }] : []
  })
}
