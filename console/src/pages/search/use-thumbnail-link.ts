import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../../graphql/transport.ts'
import { useSelection } from '../../session/selection.ts'
import { ThumbnailLinkDocument } from './generated/graphql.ts'
import type { Hit } from './use-search.ts'

/** Links live five minutes; one that is nearly over is not handed on. */
const freshMs = 4 * 60_000
const pictureAtMost = 8 * 1024 * 1024

/** A link to what the hit is a part of, once it is asked for; one for all hits of a source. Null: nothing to show. */
export function useThumbnailLink({ unitId, sourceUri, mime }: Hit, isAsked: boolean) {
  const selection = useSelection()
  const [isBroken, setBroken] = useState(false)
  // Other pointers open nothing here.
  const hasSource = sourceUri?.startsWith('source://') && (mime === 'application/pdf' || mime?.startsWith('image/'))
  const { data } = useQuery({
    queryKey: ['thumbnail', selection.namespace, selection.scope, sourceUri],
    queryFn: ({ signal }) => request(ThumbnailLinkDocument, { unitId }, { selection, signal }),
    enabled: isAsked && hasSource === true,
    staleTime: freshMs,
    gcTime: freshMs,
  })
  const link = data?.sourceLink
  const isShown = link?.inline && (link.mime === 'application/pdf' || link.bytes <= pictureAtMost)
  return { link: isShown ? link : null, isBroken, onBroken: () => setBroken(true) }
}
