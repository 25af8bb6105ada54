import type { ConsoleSessions } from '../../ports/access/sessions.ts'

/** Used when console sign-in is off. */
export const noSessions: ConsoleSessions = {
  ways: { email: false, signUp: 'closed', oidc: false, passwordReset: false },
  user: async () => null,
  handle: async () =>
    Response.json({ error: 'not_found', detail: 'console sign-in is off', status: 404 }, { status: 404 }),
  close: async () => {},
}
