import { useCallback, useState } from 'react'
import { Notifications } from '../components/notifications.tsx'
import { SessionProvider, useSignedOut } from '../session/session.tsx'
import { Banner } from './banner.tsx'
import { Navigation } from './navigation.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { SignedOut } from './signed-out.tsx'
import { ViewAs } from './view-as.tsx'
import { Viewed } from './viewed.tsx'

/** What surrounds every page of someone who is signed in. */
export function Shell() {
  const signedOut = useSignedOut()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [dialog, setDialog] = useState<'palette' | 'keys' | null>(null)
  const toggleMenu = useCallback(() => setMenuOpen((isOpen) => !isOpen), [])
  const closeMenu = useCallback(() => setMenuOpen(false), [])
  const openPalette = useCallback(() => setDialog('palette'), [])
  return (
    <SessionProvider>
      <div className="flex min-h-dvh flex-col">
        <a
          href="#content"
          className="sr-only z-50 rounded-control bg-raised px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        >
          Skip to content
        </a>
        {!signedOut && <ViewAs />}
        <Banner isMenuOpen={isMenuOpen} onMenu={toggleMenu} onPalette={openPalette} />
        <div className="flex flex-1 flex-col wide:flex-row">
          {!signedOut && <Navigation isOpen={isMenuOpen} onLeave={closeMenu} />}
          {signedOut ? <SignedOut /> : <Viewed />}
        </div>
        {/* An open palette lists scopes and namespaces, and would hide from assistive technology that the session has ended. */}
        {!signedOut && <Shortcuts dialog={dialog} onDialog={setDialog} />}
        <Notifications />
      </div>
    </SessionProvider>
  )
}
