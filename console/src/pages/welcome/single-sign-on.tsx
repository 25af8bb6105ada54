import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import { callSignIn } from '../../session/call-sign-in.ts'

/** Leads to the provider of the organisation and back to `next`. */
export function SingleSignOn({ next }: { next: string }) {
  const start = useMutation({
    mutationFn: () =>
      callSignIn('sign-in/social', { provider: 'oidc', callbackURL: next, errorCallbackURL: backTo(next) }),
    onSuccess: ({ url }) => {
      if (url !== undefined) location.assign(url)
    },
  })
  return (
    <div className="flex flex-col items-start gap-3 rounded-surface border border-line bg-surface p-4">
      <Button busy={start.isPending} onClick={() => start.mutate()}>
        Sign in with single sign-on
      </Button>
      {start.error && <Problem error={start.error} />}
    </div>
  )
}

/** The sign-in page, which says why it failed. A fragment may hold the token of an invitation: it goes into no query. */
const backTo = (next: string) => (next.includes('#') ? '/welcome' : `/welcome?next=${encodeURIComponent(next)}`)
