import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Problem } from '../../components/problem.tsx'
import { callSignIn } from '../../session/call-sign-in.ts'

/** Asks for a mail with a link to set a new password. It says the same about every address. */
export function ForgotPassword({ onBack }: { onBack(): void }) {
  const ask = useMutation({
    mutationFn: (values: Record<string, unknown>) => callSignIn('request-password-reset', values),
  })
  return (
    <form
      className="flex flex-col gap-3 rounded-surface border border-line bg-surface p-4"
      onSubmit={(event) => {
        event.preventDefault()
        ask.mutate(Object.fromEntries(new FormData(event.currentTarget)))
      }}
    >
      <Field label="E-mail" name="email" type="email" autoComplete="email" required />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="primary" busy={ask.isPending}>
          Send link
        </Button>
        <Button onClick={onBack}>Back to sign in</Button>
      </div>
      {ask.isSuccess && (
        <p role="status">If someone has this address, a mail with a link is on its way. The link works for one hour.</p>
      )}
      {ask.error && <Problem error={ask.error} />}
    </form>
  )
}
