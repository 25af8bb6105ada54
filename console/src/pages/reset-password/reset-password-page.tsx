import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Front } from '../../components/front.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { callSignIn } from '../../session/call-sign-in.ts'
import { useUrl } from '../../session/url.ts'

/** Where the link of a mail leads: sets a new password. */
export function ResetPasswordPage() {
  const { get, set } = useUrl()
  const navigate = useNavigate()
  const [token] = useState(() => get('token') ?? '')
  // The link works once more from the history; nobody shall find it there.
  useEffect(() => void set({ token: undefined }, { replace: true }), [set])
  const reset = useMutation({
    mutationFn: ({ newPassword }: { newPassword: string }) => callSignIn('reset-password', { token, newPassword }),
  })
  return (
    <Front>
      <Page title="Set a new password">
        {reset.isSuccess ? (
          <div className="flex flex-col items-start gap-3">
            <p>The password is set. You are signed out everywhere.</p>
            <Button look="primary" onClick={() => navigate({ to: '/welcome' })}>
              Sign in
            </Button>
          </div>
        ) : (
          <form
            className="flex flex-col gap-3 rounded-surface border border-line bg-surface p-4"
            onSubmit={(event) => {
              event.preventDefault()
              reset.mutate({ newPassword: `${new FormData(event.currentTarget).get('newPassword')}` })
            }}
          >
            <Field
              label="New password"
              name="newPassword"
              type="password"
              autoComplete="new-password"
              minLength={8}
              required
              hint="At least 8 characters. It ends all your sessions."
            />
            <div>
              <Button type="submit" look="primary" busy={reset.isPending}>
                Set password
              </Button>
            </div>
            {reset.error && <Problem error={reset.error} />}
          </form>
        )}
      </Page>
    </Front>
  )
}
