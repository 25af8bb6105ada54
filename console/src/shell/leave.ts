import { notify } from '../components/notifications.tsx'
import type { ServiceError } from '../graphql/service-error.ts'
import { signOut } from '../session/credential.ts'

/** Signs out, or says that the session is still open. */
export const leave = (): Promise<void> =>
  signOut().catch(({ message, requestId }: ServiceError) => {
    notify(`You are still signed in: ${message}${requestId === null ? '' : ` (request id ${requestId})`}`)
  })
