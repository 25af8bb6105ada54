import type { SignInWays } from '../../ports/access/sessions.ts'
import type { BackgroundTask } from '../background/background.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'

type Deps = Pick<Bindings, 'catalog' | 'sessions'> & Pick<DomainSettings, 'brand' | 'openSeed'>

export interface SignInOptions extends SignInWays {
  /** Whether the demo can be made without a credential. */
  firstRun: boolean
  brand: string
}

/** What to offer to someone who is not signed in. Public. */
export async function signInOptions({ catalog, sessions, brand, openSeed }: Deps): Promise<SignInOptions> {
  const firstRun = openSeed && !(await catalog.access.hasPrincipals())
  return { firstRun, ...sessions.ways, brand }
}

/** Removes sessions, and links in mails, past their end. They open nothing any more, swept or not. */
export const removeExpired = ({ catalog, clock }: Pick<Bindings, 'catalog' | 'clock'>): BackgroundTask => ({
  name: 'remove ended sessions and links',
  run: async () => {
    await catalog.signIn.removeExpired(clock.now())
    return 0
  },
})
