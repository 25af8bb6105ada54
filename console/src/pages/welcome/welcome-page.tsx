import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Front } from '../../components/front.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useGraphql } from '../../graphql/hooks.ts'
import { useUrl } from '../../session/url.ts'
import { DemoKeys } from './demo-keys.tsx'
import { EmailForm } from './email-form.tsx'
import { FirstRun } from './first-run.tsx'
import { SignInOptionsDocument } from './generated/graphql.ts'
import { KeyForm } from './key-form.tsx'
import { nextPath } from './next-path.ts'
import { SingleSignOn } from './single-sign-on.tsx'

/** The first run, or the ways to sign in. */
export function WelcomePage() {
  const { get } = useUrl()
  const navigate = useNavigate()
  const [tokens, setTokens] = useState<Record<string, string> | null>(null)
  const { data, error, refetch } = useGraphql(SignInOptionsDocument, {}, { enabled: tokens === null })
  const options = data?.signInOptions
  const next = nextPath(get('next'))
  const refusal = refusalOf(get('error'))
  // Agents are connected on a page of the service itself.
  const enter = () => (next.startsWith('/consent') ? location.assign(next) : navigate({ href: next }))
  return (
    <Front about="Search, answers with citations and access control over texts, documents, pictures and recordings.">
      <Page title="Welcome" busy={!options && !error}>
        {tokens !== null ? (
          <DemoKeys tokens={tokens} />
        ) : error ? (
          <Problem error={error} onRetry={refetch} />
        ) : !options ? (
          <Skeleton rows={5} height={44} />
        ) : (
          <>
            {refusal !== null && <Problem error={refusal} />}
            {options.firstRun && <FirstRun onMade={setTokens} />}
            {options.email && (
              <EmailForm
                signUp={options.signUp}
                passwordReset={options.passwordReset}
                isFirstRun={options.firstRun}
                onSignedIn={enter}
              />
            )}
            {options.oidc && <SingleSignOn next={next} />}
            <KeyForm onSignedIn={enter} />
          </>
        )}
      </Page>
    </Front>
  )
}

const stale = 'It took more than ten minutes, or was begun in another browser. Sign in again.'
/** What to do, by the code of why it failed. */
const advices: Record<string, string> = {
  state_mismatch: stale,
  state_not_found: stale,
  SIGN_UP_REFUSED: 'This address may not sign up here. Ask the operator, or someone who can invite you.',
  account_not_linked: 'This address has an account with a password here. Sign in with that.',
}

/** Why the single sign-on led back here. The code stands in the URL, so a stranger's text could: only codes are shown. */
function refusalOf(code: string | undefined): Error | null {
  if (code === undefined) return null
  const shown = /^\w{1,64}$/.test(code) ? code : 'unknown'
  const advice = advices[shown] ?? 'Try again; if it fails again, tell the operator this code.'
  return new Error(`Single sign-on failed: ${shown}. ${advice}`)
}
