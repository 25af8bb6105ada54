/** The path of headings above the place that is being read. Levels need not follow each other. */
export class Outline {
  #open: { level: number; title: string }[] = []

  /** A heading ends those of its level and below. */
  enter(level: number, title: string): void {
    this.#open = this.#open.filter((heading) => heading.level < level)
    if (title !== '') this.#open.push({ level, title })
  }

  get path(): string[] {
    return this.#open.map(({ title }) => title)
  }
}
