import { Navigate } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { useGraphql } from '../../graphql/hooks.ts'
import { SessionDocument } from '../../session/generated/graphql.ts'
import { useSignedOut } from '../../session/session.tsx'

/** Leads to where one begins. */
export function StartPage() {
  const { data, error } = useGraphql(SessionDocument, {})
  const signedOut = useSignedOut()
  if (error || signedOut) return <Navigate to="/welcome" replace />
  if (data) return <Navigate to="/search" replace />
  return <Page title="Console" busy />
}
