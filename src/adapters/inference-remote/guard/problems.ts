import { type Fail, RemoteError } from '../../resilience/remote-error.ts'

/** What went wrong with a provider. The guard puts the model's name in front. */
export const problem: Fail = (code, message, facts) => new RemoteError(code, message, facts)

export const malformed = (message: string) => problem('malformed', message)
