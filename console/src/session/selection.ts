import { useMemo } from 'react'
import type { Selection } from '../graphql/transport.ts'
import { useUrl } from './url.ts'

/** The namespace and scope that the URL names. */
export function useSelection(): Selection {
  const url = useUrl()
  const namespace = url.get('namespace')
  const scope = url.get('scope')
  return useMemo(() => ({ namespace, scope }), [namespace, scope])
}
