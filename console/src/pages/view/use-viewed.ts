import { useEffect } from 'react'
import { useGraphql } from '../../graphql/hooks.ts'
import { usePages } from '../../graphql/pages.ts'
import { useUrl } from '../../session/url.ts'
import {
  UnitsOfDocDocument,
  type UnitsOfDocQuery,
  ViewedDocDocument,
  ViewedUnitDocument,
  type ViewUnitFragment,
} from './generated/graphql.ts'

const pick = ({ units }: UnitsOfDocQuery) => (units ? { ...units, rows: units.units } : null)

/** What the Units of a document are asked for with. */
export const unitsOfDoc = (docId: string) => ({ filters: { docId: [docId] }, limit: 100 })

/** The Unit or document that the URL names, with the Units beside it. All of them are loaded: the source shows them. */
export function useViewed() {
  const { get } = useUrl()
  const [unitId, docParam] = [get('unit'), get('doc')]
  const unit = useGraphql(ViewedUnitDocument, { unitId: unitId ?? '' }, { enabled: unitId !== undefined })
  const named = unitId === undefined ? undefined : (unit.data?.unit ?? undefined)
  const docId = named?.docId ?? (unitId === undefined ? docParam : undefined)
  const doc = useGraphql(ViewedDocDocument, { docId: docId ?? '' }, { enabled: docId !== undefined })
  const list = usePages(UnitsOfDocDocument, unitsOfDoc(docId ?? ''), pick, {
    enabled: docId !== undefined,
  })
  const { onEnd } = list
  useEffect(() => {
    if (list.rows.length > 0) onEnd()
  }, [list.rows.length, onEnd])

  const units = docId === undefined ? (named ? [named] : []) : list.rows
  const chosen = named ?? atPlace(units, Number(get('page')), Number(get('t')))
  const error = unit.error ?? doc.error ?? list.error
  const title = doc.data?.doc?.title ?? titleOf(chosen) ?? 'Document'
  const path = pathOf(chosen)
  return {
    title,
    /** That of the file, else the title. */
    name: path?.split('/').at(-1) ?? title,
    /** The path of the file that was taken in; null for what was written as Units. */
    path,
    units: named && !units.some((one) => one.unitId === named.unitId) ? [named, ...units] : units,
    chosen,
    error,
    refetch: () => {
      if (unitId !== undefined) void unit.refetch()
      if (docId === undefined) return
      void doc.refetch()
      void list.refetch()
    },
    /** The Units of the document are asked for, else the one Unit. */
    docId,
    isAsked: unitId !== undefined || docParam !== undefined,
    isPending: !error && chosen === undefined,
    /** More is to come than what is chosen: its title, the Units beside it. */
    isLoading: doc.isLoading || (docId !== undefined && list.isPending),
    count: Math.max(doc.data?.doc?.units ?? 0, units.length),
    onEnd,
  }
}

/** The first Unit on the page or at the second that the URL names, else the first of all. `t` is in seconds. */
function atPlace(units: readonly ViewUnitFragment[], page: number, t: number): ViewUnitFragment | undefined {
  const found = units.find(({ locator }) => {
    if (locator?.__typename === 'BoundingBox') return page >= 1 && locator.page === page
    return locator?.__typename === 'TimeRange' && t >= 0 && locator.tStartMs <= t * 1000 && locator.tEndMs > t * 1000
  })
  return found ?? units[0]
}

function pathOf(unit: ViewUnitFragment | undefined): string | null {
  const path = (unit?.metadata as Record<string, unknown> | undefined)?.path
  return typeof path === 'string' && path !== '' ? path : null
}

function titleOf(unit: ViewUnitFragment | undefined): string | undefined {
  if (unit === undefined) return undefined
  return unit.externalId ?? unit.docId ?? ((unit.title ?? unit.text ?? '').slice(0, 80) || unit.unitId)
}
