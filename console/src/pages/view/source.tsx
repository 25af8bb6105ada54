import { lazy, Suspense } from 'react'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { SourceLinkQuery, ViewUnitFragment } from './generated/graphql.ts'
import { ImageSource } from './image-source.tsx'
import { MediaSource } from './media-source.tsx'
import { PdfSkeleton } from './pdf-skeleton.tsx'
import type { useSourceLink } from './use-source-link.ts'

const PdfSource = lazy(() => import('./pdf-source.tsx').then(({ PdfSource: Component }) => ({ default: Component })))

type Link = NonNullable<SourceLinkQuery['sourceLink']>

export interface SourceProps {
  units: readonly ViewUnitFragment[]
  chosen: ViewUnitFragment
}

/** The file itself, at the place of the chosen Unit. */
export function Source({ units, chosen, original }: SourceProps & { original: ReturnType<typeof useSourceLink> }) {
  const { link, error, refetch } = original
  const ofFile = units.filter(({ sourceUri }) => sourceUri === chosen.sourceUri)
  return (
    <section aria-label="Source" className="flex min-w-0 flex-col gap-2">
      {error && <Problem error={error} onRetry={refetch} />}
      {link === undefined && !error && <Skeleton height={320} />}
      {link === null && <Empty>No file is kept behind this Unit. Its text is all there is.</Empty>}
      {link && <File link={link} units={ofFile} chosen={chosen} onExpired={refetch} />}
      {link && (
        <p className="text-small text-muted">
          <a href={link.url} download={link.name ?? ''} rel="noreferrer" className="underline">
            Download
          </a>{' '}
          {link.mime}, {sizeText(link.bytes)}
        </p>
      )}
    </section>
  )
}

function File({ link, onExpired, ...units }: SourceProps & { link: Link; onExpired(): unknown }) {
  const [kind] = link.mime.split('/')
  if (link.inline && link.mime === 'application/pdf') {
    return (
      <Suspense fallback={<PdfSkeleton />}>
        <PdfSource url={link.url} {...units} />
      </Suspense>
    )
  }
  if (link.inline && kind === 'image') return <ImageSource url={link.url} {...units} />
  if (link.inline && (kind === 'audio' || kind === 'video')) {
    return <MediaSource url={link.url} isVideo={kind === 'video'} onExpired={onExpired} {...units} />
  }
  return <p className="rounded-surface border border-line bg-surface px-4 py-3">The text of this file is below.</p>
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`
}
