/** A model cannot be used as it is configured; the message says in sentences what is wrong with which setting. */
export class ModelUnusable extends Error {
  constructor(problems: readonly string[]) {
    super(`local models cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ModelUnusable'
  }
}
