import { failuresOf, isFailure } from '../../resilience/remote-error.ts'

export const failure = failuresOf('Pinecone')
export const timedOut = () => failure('timeout', 'did not answer in time')
export const malformed = (problem: string) => failure('malformed', problem)

/** NOT_FOUND of gRPC. The data plane answers it for a missing namespace; a deleted index answers no such code. */
const notFound = '5'

/** A namespace that was never written to, or that was deleted. */
export const isAbsentNamespace = (error: unknown): boolean =>
  isFailure(error, 'absent') && error.vendorCode === notFound

/** The code in the body of an error. */
export function vendorCodeOf(text: string): string | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && 'code' in answer ? String(answer.code) : null
  } catch {
    return null
  }
}
