import { type Fail, RemoteError } from '../../resilience/remote-error.ts'

/** An error of a provider. The guard puts the model's name in front. */
export const problem: Fail = (code, message, facts) => new RemoteError(code, message, facts)

export const malformed = (message: string) => problem('malformed', message)
