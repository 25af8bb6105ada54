import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { brand } from '../../graphql/brand.ts'
import { useGraphql } from '../../graphql/hooks.ts'
import { request } from '../../graphql/transport.ts'
import { EmailForm } from '../welcome/email-form.tsx'
import { SingleSignOn } from '../welcome/single-sign-on.tsx'
import { JoinDocument, JoinOptionsDocument, WhoJoinsDocument } from './generated/graphql.ts'

/** Accepts as the person that is signed in, or lets someone sign in or up first. */
export function Accept({ token, onJoined }: { token: string; onJoined(namespace: string): void }) {
  const { data } = useGraphql(JoinOptionsDocument, {})
  // Nobody being signed in is no end of a session here.
  const who = useQuery({
    queryKey: ['who joins'],
    queryFn: () => request(WhoJoinsDocument, {}, { isPublic: true }),
    retry: false,
  })
  // At the home namespace of the person, who may not enter the other one yet.
  const join = useMutation({
    mutationFn: () => request(JoinDocument, { token }),
    onSuccess: ({ acceptInvitation }) => onJoined(acceptInvitation?.namespace ?? ''),
  })
  const principal = who.data?.context?.principal.principalId
  if (who.isPending || !data) return <Skeleton rows={2} height={44} />
  if (principal === undefined) {
    const options = data.signInOptions
    const here = `/join#${token}`
    return (
      <>
        <p>Sign in, or create an account, to accept it.</p>
        {options?.email && (
          <EmailForm
            signUp="open"
            passwordReset={false}
            headers={{ [`x-${brand}-invitation`]: token }}
            onSignedIn={() => void who.refetch()}
          />
        )}
        {options?.oidc && <SingleSignOn next={here} />}
      </>
    )
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <Button look="primary" busy={join.isPending} onClick={() => join.mutate()}>
        Accept
      </Button>
      {join.error && <Problem error={join.error} />}
    </div>
  )
}
