/** An error answer of the server: a status and a message. */
export class RefusalError extends Error {
  readonly status: number
  constructor(status: number, problem: string) {
    super(problem)
    this.name = 'Refusal'
    this.status = status
  }
}
