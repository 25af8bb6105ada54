import { type RefObject, useCallback, useRef } from 'react'
import { notify } from '../../components/notifications.tsx'
import { useChange } from '../../graphql/hooks.ts'
import { useKeys } from '../../shell/keys.ts'
import { copySearch } from './copy-as.ts'
import { KeepGoldenDocument } from './generated/graphql.ts'
import type { SearchSide } from './use-search.ts'

/**
 * Keys that act on the hit with the focus, else on the first one: `x` unfolds, `s` keeps a golden query, `y` copies. Returns what
 * keeps one.
 */
export function useHitKeys(
  list: RefObject<HTMLElement | null>,
  { params, input, where, as, result }: SearchSide,
  unfold: (unitId: string) => void,
): (unitId: string) => void {
  const keep = useChange(KeepGoldenDocument)
  const unit = () => {
    const active = document.activeElement?.closest<HTMLElement>('[data-unit]')
    if (active) return list.current?.contains(active) ? active.dataset.unit : undefined
    return params.prefix === '' ? result?.hits[0]?.unitId : undefined
  }
  const onUnit = (act: (unitId: string) => void) => () => {
    const unitId = unit()
    if (unitId === undefined) return false
    act(unitId)
    return true
  }
  const keepGolden = (unitId: string) => {
    if (as !== undefined) return notify('Stop viewing as someone else to keep a golden query')
    if (!input?.q) return notify('A golden query needs words: type some into the search box')
    const query = { q: input.q, expectedUnitIds: [unitId], scope: where.scope ?? null }
    keep.mutate(
      { queries: [query] },
      {
        onSuccess: () => notify('Kept as golden query'),
        onError: ({ message, requestId }) =>
          notify(`Not kept: ${message}${requestId === null ? '' : ` (request id ${requestId})`}`),
      },
    )
  }
  useKeys({
    x: onUnit(unfold),
    s: onUnit(keepGolden),
    y: onUnit(() => {
      if (as !== undefined) notify('REST has no view as someone else: copy GraphQL')
      else copySearch({ input, where, as }, 'curl')
    }),
  })
  const latest = useRef(keepGolden)
  latest.current = keepGolden
  return useCallback((unitId: string) => latest.current(unitId), [])
}
