import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { PageLink } from '../../components/page-link.tsx'
import { useInSight } from '../../components/use-in-sight.ts'
import { planeColours } from '../../components/words.ts'
import { timeCode } from './hit-words.ts'
import { type Box, boxOf, lookOf } from './look.ts'
import type { Hit } from './use-search.ts'
import { useThumbnailLink } from './use-thumbnail-link.ts'

const PdfThumbnail = lazy(() => import('./pdf-thumbnail.tsx').then((module) => ({ default: module.PdfThumbnail })))

/** A hit that is typed past is not worth a link: each one stands in the audit log. */
const restMs = 600

/**
 * What the hit looks like, in a frame of one size: the page or picture with its box, or the time code. Without a source
 * to show it is an outline. The link is the hit's own once more, for the mouse alone.
 */
export function Thumbnail({ hit }: { hit: Hit }) {
  const frame = useRef<HTMLDivElement>(null)
  const look = lookOf(hit)
  const isInSight = useInSight(frame, restMs)
  if (look === null) return null
  return (
    <div ref={frame} aria-hidden data-thumbnail={look} className="size-16 shrink-0 narrow:size-24">
      <PageLink
        to="/view"
        search={{ unit: hit.unitId }}
        tabIndex={-1}
        className="flex size-full items-center justify-center text-small text-muted no-underline hover:no-underline"
      >
        {look === 'recording' ? (
          <Recording locator={hit.locator} />
        ) : (
          <Shown hit={hit} look={look} isAsked={isInSight} />
        )}
      </PageLink>
    </div>
  )
}

function Recording({ locator }: Pick<Hit, 'locator'>) {
  const start = locator?.__typename === 'TimeRange' ? timeCode(locator.tStartMs) : ''
  return (
    <span className="flex size-full flex-col items-center justify-center gap-1 rounded-control border border-line bg-hover text-plane-audio">
      <span>▶</span>
      {start}
    </span>
  )
}

/** The page or picture itself, once it has come; until then, and where there is none, its outline. */
function Shown({ hit, look, isAsked }: { hit: Hit; look: 'page' | 'picture'; isAsked: boolean }) {
  const { link, isBroken, onBroken } = useThumbnailLink(hit, isAsked)
  const [ratio, setRatio] = useState<number | null>(null)
  const box = boxOf(hit.locator)
  const outline = (
    <Fitted ratio={look === 'page' ? 0.71 : 1.33} box={box} className="border border-control bg-hover">
      <span className={`flex size-full items-center justify-center ${planeColours[hit.plane]}`}>
        {look === 'page' ? pageOf(hit.locator) : <Mountains />}
      </span>
    </Fitted>
  )
  if (!link || isBroken) return outline
  const page = hit.locator?.__typename === 'BoundingBox' ? (hit.locator.page ?? 1) : 1
  return (
    <>
      {ratio === null && outline}
      <Fitted ratio={ratio ?? 1} box={box} className={ratio === null ? 'hidden' : 'border border-line bg-white'}>
        {link.mime === 'application/pdf' ? (
          <Suspense>
            <PdfThumbnail url={link.url} page={page} onRatio={setRatio} onBroken={onBroken} />
          </Suspense>
        ) : (
          <img
            src={link.url}
            alt=""
            decoding="async"
            className="size-full"
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setRatio(naturalWidth / naturalHeight)}
            onError={onBroken}
          />
        )}
      </Fitted>
    </>
  )
}

function pageOf(locator: Hit['locator']): string {
  return locator?.__typename === 'BoundingBox' && locator.page != null ? `p. ${locator.page}` : 'page'
}

/** Stands for a picture. */
const Mountains = () => (
  <svg aria-hidden viewBox="0 0 24 18" className="w-2/5" fill="none" stroke="currentColor" strokeWidth="1.5">
    <path d="M2 16 9 6l5 7 3-4 5 7z" strokeLinejoin="round" />
    <circle cx="17" cy="4" r="1.8" />
  </svg>
)

/** As large as its sides allow within the frame, with the box of the hit on it. */
function Fitted({ ratio, box, className, children }: FittedProps) {
  const size = ratio >= 1 ? { width: '100%' } : { height: '100%' }
  return (
    <span className={`relative block overflow-hidden ${className}`} style={{ aspectRatio: ratio, ...size }}>
      {children}
      {box && <span className="thumbnail-box" style={placeOf(box)} />}
    </span>
  )
}

interface FittedProps {
  ratio: number
  box: Box | null
  className: string
  children: ReactNode
}

const placeOf = ({ x, y, w, h }: Box) =>
  Object.fromEntries(
    Object.entries({ left: x, top: y, width: w, height: h }).map(([side, share]) => [side, `${share * 100}%`]),
  )
