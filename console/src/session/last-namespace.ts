import { useEffect } from 'react'
import { useGraphql } from '../graphql/hooks.ts'
import { NamespacesDocument } from './generated/graphql.ts'
import { useSetUrl } from './url.ts'

/** In this browser, per principal. */
const keyOf = (principalId: string) => `console.namespace ${principalId}`

/**
 * Keeps the namespace that one used last, and goes back there where the URL names none. Where none is known, as after an
 * invitation that was accepted elsewhere, an empty home that nobody registered is left for a namespace of others.
 */
export function useLastNamespace(
  principal: { principalId: string; namespace: string } | undefined,
  namespace: string | undefined,
): void {
  const set = useSetUrl()
  const isLooking = principal !== undefined && namespace === undefined
  const { data } = useGraphql(NamespacesDocument, {}, { enabled: isLooking, selection: {} })
  useEffect(() => {
    if (principal && namespace !== undefined) localStorage.setItem(keyOf(principal.principalId), namespace)
  }, [principal, namespace])
  useEffect(() => {
    const namespaces = data?.namespaces?.namespaces
    if (!isLooking || !namespaces) return
    const last = localStorage.getItem(keyOf(principal.principalId))
    const home = namespaces.find((one) => one.home)
    const others = namespaces.filter((one) => !one.home)
    const next = last ?? (home?.registered === false ? others.at(-1)?.namespace : undefined)
    if (next !== undefined && next !== principal.namespace && others.some((one) => one.namespace === next))
      void set({ namespace: next }, { replace: true })
  }, [isLooking, data, principal, set])
}
