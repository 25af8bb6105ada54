import { OperatorError } from '../../model/operator-error.ts'

/** A model cannot be used as it is configured; the message says in sentences what is wrong with which setting. */
export class ModelUnusable extends OperatorError {
  override readonly name = 'ModelUnusable'

  constructor(problems: readonly string[]) {
    super(`local models cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  }
}
