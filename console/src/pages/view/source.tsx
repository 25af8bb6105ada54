import { lazy, Suspense, useEffect, useRef } from 'react'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { sizeText } from '../../components/words.ts'
import { useUrl } from '../../session/url.ts'
import { Boxes } from './boxes.tsx'
import type { FoundOnPage } from './find.ts'
import type { SourceLinkQuery } from './generated/graphql.ts'
import { useZoom, ZoomButtons } from './page-bar.tsx'
import { PdfSkeleton } from './pdf-skeleton.tsx'
import type { SourceProps } from './places.ts'
import type { useSourceLink } from './use-source-link.ts'

const PdfSource = lazy(() => import('./pdf-source.tsx').then(({ PdfSource: Component }) => ({ default: Component })))

type Link = NonNullable<SourceLinkQuery['sourceLink']>

export interface SourceViewProps extends SourceProps {
  original: ReturnType<typeof useSourceLink>
  found?: FoundOnPage
}

/** The file itself, at the place of the chosen Unit. */
export function Source({ units, chosen, original, found }: SourceViewProps) {
  const { link, error, refetch } = original
  const ofFile = units.filter(({ sourceUri }) => sourceUri === chosen.sourceUri)
  return (
    <section aria-label="Source" className="flex min-w-0 flex-col gap-2">
      {error && <Problem error={error} onRetry={refetch} />}
      {link === undefined && !error && <Skeleton height={320} />}
      {link === null && <Empty>No file is kept behind this Unit. Its text is all there is.</Empty>}
      {link && <File link={link} units={ofFile} chosen={chosen} found={found} onExpired={refetch} />}
      {link && (
        <p className="text-small text-muted">
          <a href={link.url} download={link.name ?? ''} rel="noreferrer" className="underline">
            Download
          </a>{' '}
          <span title={link.mime}>{typeOf(link)}</span>, {sizeText(link.bytes)}
        </p>
      )}
    </section>
  )
}

/** By its name, as people call it: systems have odd names for types. */
const typeOf = ({ name, mime }: Link) => /\.(\w{1,8})$/.exec(name ?? '')?.[1]?.toUpperCase() ?? mime

interface FileProps extends SourceProps, Pick<SourceViewProps, 'found'> {
  link: Link
  onExpired(): unknown
}

function File({ link, onExpired, found, ...units }: FileProps) {
  const [kind] = link.mime.split('/')
  if (link.inline && link.mime === 'application/pdf') {
    return (
      <Suspense fallback={<PdfSkeleton />}>
        <PdfSource url={link.url} found={found} {...units} />
      </Suspense>
    )
  }
  if (link.inline && kind === 'image') return <ImageSource url={link.url} {...units} />
  if (link.inline && (kind === 'audio' || kind === 'video')) {
    return <MediaSource url={link.url} isVideo={kind === 'video'} onExpired={onExpired} {...units} />
  }
  return null
}

/** A picture with the boxes of its Units. */
function ImageSource({ url, units, chosen }: SourceProps & { url: string }) {
  const zoom = useZoom()
  return (
    <div className="flex flex-col gap-2">
      <div className="flex justify-end">
        <ZoomButtons />
      </div>
      <div tabIndex={0} className="max-h-[80vh] max-w-full overflow-auto rounded-surface border border-line">
        <div className="relative w-fit" style={zoom === 100 ? undefined : { width: `${zoom}%` }}>
          <img src={url} alt={chosen.text ?? ''} className={zoom === 100 ? 'max-h-[80vh] max-w-full' : 'w-full'} />
          <Boxes units={units} chosen={chosen} />
        </div>
      </div>
    </div>
  )
}

interface MediaSourceProps extends SourceProps {
  url: string
  isVideo: boolean
  onExpired(): unknown
}

/** A recording at the second of the chosen Unit. */
function MediaSource({ url, isVideo, chosen, onExpired }: MediaSourceProps) {
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
