import { linesOf } from './lines.ts'
import { TextBuilder } from './text-builder.ts'

/** Lines of a markup language, and what is read of them: lines up to an empty one are a paragraph. */
export class Paragraphs {
  readonly out = new TextBuilder()
  readonly lines: readonly string[]
  readonly #unclosed = new Set<string>()
  #open: string[] = []

  constructor(text: string) {
    this.lines = Array.from(linesOf(text), ({ start, end }) => text.slice(start, end))
  }

  add(line: string): void {
    if (line.trim() === '') this.end()
    else this.#open.push(line.trim())
  }

  end(): void {
    this.out.add(this.#open.join('\n'))
    this.#open = []
  }

  addHeading(level: number, title: string): void {
    this.end()
    this.out.addHeading(level, title)
  }

  addCode(from: number, to: number): void {
    this.end()
    this.out.add(this.lines.slice(from, to).join('\n').trimEnd(), 'code')
  }

  /** The first line from `from` on that `isEnd`; -1 without one, which is looked for only once for each `kind`. */
  find(kind: string, from: number, isEnd: (line: string) => boolean): number {
    if (this.#unclosed.has(kind)) return -1
    for (let i = from; i < this.lines.length; i++) if (isEnd(this.lines[i] ?? '')) return i
    this.#unclosed.add(kind)
    return -1
  }

  /** The first line from `from` on that is not `isPart`. */
  after(from: number, isPart: (line: string) => boolean): number {
    let i = from
    while (i < this.lines.length && isPart(this.lines[i] ?? '')) i++
    return i
  }
}
