import type { ReactNode } from 'react'
import { Mark } from './mark.tsx'
import { Notifications } from './notifications.tsx'

/** What surrounds a page of someone who is not signed in. `about`: below the name of the product. */
export const Front = ({ about, children }: { about?: string; children: ReactNode }) => (
  <div className="mx-auto flex min-h-dvh max-w-[560px] flex-col justify-center py-8">
    <header className="px-4 wide:px-6">
      <Mark className="text-h2" />
      {about && <p className="mt-2 text-muted">{about}</p>}
    </header>
    {children}
    <Notifications />
  </div>
)
