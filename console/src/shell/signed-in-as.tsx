import { SafeText } from '../components/safe-text.tsx'
import { useGraphql } from '../graphql/hooks.ts'
import { WhoIsSignedInDocument } from '../session/generated/graphql.ts'

/** Whose account the page is in, and by which key. It has its two lines before it knows: what is below does not move. */
export function SignedInAs() {
  const { data } = useGraphql(WhoIsSignedInDocument, {}, { selection: {} })
  const { principal, credential } = data?.viewer ?? {}
  return (
    <div className="flex w-52 flex-col">
      <span className="truncate text-small text-muted">
        Signed in{' '}
        {credential?.kind === 'key' && credential.name && (
          <>
            by key <SafeText>{credential.name}</SafeText>{' '}
          </>
        )}
        as
      </span>
      <span title={principal?.principalId} className="min-h-5 truncate">
        {principal && <SafeText>{principal.name ?? principal.email ?? principal.principalId}</SafeText>}
      </span>
    </div>
  )
}
