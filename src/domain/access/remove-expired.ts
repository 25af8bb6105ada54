import type { BackgroundTask } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'

/** Removes sessions, and links in mails, past their end. They open nothing any more, swept or not. */
export const removeExpired = ({ catalog, clock }: Pick<Bindings, 'catalog' | 'clock'>): BackgroundTask => ({
  name: 'remove ended sessions and links',
  run: async () => {
    await catalog.signIn.removeExpired(clock.now())
    return 0
  },
})
