import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { brandName } from '../graphql/brand.ts'
import { wasSignedIn } from '../session/credential.ts'

/** Takes the place of the page once the session has ended. Someone who was not signed in signs in first, and comes back. */
export function SignedOut() {
  // The location is already that of the sign-in page while this one leads there.
  const [href] = useState(useLocation().href)
  const navigate = useNavigate()
  useEffect(() => {
    if (!wasSignedIn()) void navigate({ to: '/welcome', search: { next: href }, replace: true })
  }, [href, navigate])
  // The title of the page names the namespace, and may name a document.
  useEffect(() => {
    document.title = `Signed out - ${brandName}`
  }, [])
  if (!wasSignedIn()) return null
  return (
    <main id="content" tabIndex={-1} className="flex flex-1 flex-col items-center gap-4 px-4 py-12 outline-none">
      <h1>Signed out</h1>
      <div
        role="alert"
        className="flex flex-col items-center gap-3 rounded-surface border border-line bg-surface px-6 py-4"
      >
        <p>You are signed out</p>
        <a
          href={`/welcome?next=${encodeURIComponent(href)}`}
          className="control inline-flex items-center border-accent bg-accent text-on-accent no-underline"
        >
          Sign in
        </a>
      </div>
    </main>
  )
}
