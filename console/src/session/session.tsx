import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useGraphql } from '../graphql/hooks.ts'
import type { ServiceError } from '../graphql/service-error.ts'
import { isSignedOut, onSessionChange, reportSignedIn } from './credential.ts'
import { SessionDocument, type SessionQuery } from './generated/graphql.ts'
import { useLastNamespace } from './last-namespace.ts'
import { useKept } from './url.ts'

/** Where a principal is, as its own requests would be told. */
export interface Place {
  requestedScope: string
  allowedScopes: readonly string[]
}

export interface Session {
  /** Null until it came. */
  context: NonNullable<SessionQuery['context']> | null
  /** What is in force, or what the URL asks for until that is known. */
  namespace: string
  scope: string
  /** Scopes to choose from. */
  scopes: readonly string[]
  /** The principal whose view is shown, if it is not the caller's own. */
  as: string | undefined
  error: ServiceError | null
}

const SessionContext = createContext<Session>({
  context: null,
  namespace: '',
  scope: '',
  scopes: [],
  as: undefined,
  error: null,
})
const ViewedContext = createContext<(place: Place) => void>(() => undefined)

/** Who is signed in, and where. */
export const useSession = () => useContext(SessionContext)

/** Tells the shell where the principal is whose view the page shows. */
export function useViewedPlace(place: Place | undefined): void {
  const tell = useContext(ViewedContext)
  useEffect(() => {
    if (place !== undefined) tell(place)
  }, [tell, place])
}

/** Whether to offer what admins may: others would be refused, which is recorded. Null until it is known. */
export function useIsAdmin(): boolean | null {
  const { context, error } = useSession()
  if (context) return context.perms.includes('admin')
  // Then the page says what the service answers.
  return error ? true : null
}

export const useSignedOut = () => useSyncExternalStore(onSessionChange, isSignedOut)

export function SessionProvider({ children }: { children: ReactNode }) {
  const { namespace, scope, as } = useKept()
  const signedOut = useSignedOut()
  const { data, error } = useGraphql(SessionDocument, {}, { enabled: !signedOut })
  const context = (signedOut || error ? null : data?.context) ?? null
  useEffect(() => {
    if (context) reportSignedIn()
  }, [context])
  useLastNamespace(context?.principal, namespace)
  const [viewed, setViewed] = useState<Place | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another principal is elsewhere
  useEffect(() => setViewed(null), [as])
  const place = as === undefined ? context : viewed
  const session = useMemo(
    () => ({
      context,
      namespace: namespace ?? context?.principal.namespace ?? '',
      scope: scope ?? place?.requestedScope ?? '',
      scopes: place?.allowedScopes ?? [],
      as,
      error,
    }),
    [context, namespace, scope, place, as, error],
  )
  return (
    <ViewedContext value={setViewed}>
      <SessionContext value={session}>{children}</SessionContext>
    </ViewedContext>
  )
}
