import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { ServiceError } from '../../graphql/service-error.ts'
import { callSignIn } from '../../session/call-sign-in.ts'
import { signedIn } from '../../session/credential.ts'
import { ForgotPassword } from './forgot-password.tsx'

export interface EmailFormProps {
  signUp: 'open' | 'domains' | 'closed'
  /** Whether the service mails links to set a new password. */
  passwordReset: boolean
  /** Nobody has an account yet: signing in is not what one does first. */
  isFirstRun?: boolean
  /** Sent with a sign-up. */
  headers?: Record<string, string>
  onSignedIn(): void
}

/** Signs in, or makes an account. */
export function EmailForm({ signUp, passwordReset, isFirstRun = false, headers, onSignedIn }: EmailFormProps) {
  const [isNew, setNew] = useState(false)
  const [isForgotten, setForgotten] = useState(false)
  const [unverified, setUnverified] = useState<string>()
  const enter = useMutation({
    mutationFn: (values: Record<string, unknown>) =>
      isNew ? callSignIn('sign-up/email', values, headers) : callSignIn('sign-in/email', values),
    onSuccess: ({ token }, { email }) => {
      // No session begins before the address is known to be the person's own.
      if (token === null) return setUnverified(`${email}`)
      signedIn()
      onSignedIn()
    },
    onError: (error, { email }) => {
      if (error instanceof ServiceError && error.code === 'EMAIL_NOT_VERIFIED') setUnverified(`${email}`)
    },
  })
  const restart = () => {
    setUnverified(undefined)
    setNew(false)
    enter.reset()
  }
  if (unverified !== undefined) return <CheckMail address={unverified} onBack={restart} />
  if (isForgotten) return <ForgotPassword onBack={() => setForgotten(false)} />
  return (
    <form
      className="flex flex-col gap-3 rounded-surface border border-line bg-surface p-4"
      onSubmit={(event) => {
        event.preventDefault()
        enter.mutate(Object.fromEntries(new FormData(event.currentTarget)))
      }}
    >
      <h2>{isNew ? 'Create an account' : 'Sign in'}</h2>
      {isNew && <Field label="Name" name="name" autoComplete="name" required />}
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="email"
        required
        hint={isNew && signUp === 'domains' ? 'Only addresses of certain domains may sign up.' : undefined}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
        minLength={isNew ? 8 : undefined}
        hint={isNew ? 'At least 8 characters' : undefined}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look={isFirstRun && !isNew ? 'plain' : 'primary'} busy={enter.isPending}>
          {isNew ? 'Create account' : 'Sign in'}
        </Button>
        {isNew && <Button onClick={() => setNew(false)}>Back to sign in</Button>}
        {!isNew && signUp !== 'closed' && <Button onClick={() => setNew(true)}>Create an account</Button>}
        {!isNew && passwordReset && <Button onClick={() => setForgotten(true)}>Forgot password</Button>}
      </div>
      {enter.error && <Problem error={enter.error} />}
    </form>
  )
}

function CheckMail({ address, onBack }: { address: string; onBack(): void }) {
  return (
    <section role="status" className="flex flex-col gap-3 rounded-surface border border-line bg-surface p-4">
      <p>
        A link was sent to <SafeText>{address}</SafeText>. Open it, then sign in here.
      </p>
      <Button className="self-start" onClick={onBack}>
        Back to sign in
      </Button>
    </section>
  )
}
