import { useEffect, useRef } from 'react'
import { useUrl } from '../../session/url.ts'
import type { SourceProps } from './source.tsx'

export interface MediaSourceProps extends SourceProps {
  url: string
  isVideo: boolean
  onExpired(): unknown
}

/** A recording at the second of the chosen Unit. */
export function MediaSource({ url, isVideo, chosen, onExpired }: MediaSourceProps) {
  const player = useRef<HTMLVideoElement>(null)
  const { get } = useUrl()
  const { locator } = chosen
  const start = locator?.__typename === 'TimeRange' ? locator.tStartMs / 1000 : 0
  const second = get('t') === undefined ? start : Number(get('t')) || start
  useEffect(() => {
    if (player.current) player.current.currentTime = second
  }, [second])
  const common = {
    src: url,
    controls: true,
    preload: 'metadata',
    'aria-label': 'Recording',
    className: 'w-full rounded-surface',
    onLoadedMetadata: () => {
      if (player.current) player.current.currentTime = second
    },
    onError: () => onExpired(),
  } as const
  return isVideo ? <video ref={player} {...common} /> : <audio ref={player} {...common} />
}
