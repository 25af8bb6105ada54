/** What the server answers instead: a status and why. */
export class RefusalError extends Error {
  readonly status: number
  constructor(status: number, problem: string) {
    super(problem)
    this.name = 'Refusal'
    this.status = status
  }
}
