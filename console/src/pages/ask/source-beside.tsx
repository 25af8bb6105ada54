import { X } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useUrl } from '../../session/url.ts'
import { useKeys } from '../../shell/keys.ts'
import { Source } from '../view/source.tsx'
import { SourceText, useSourceText } from '../view/source-text.tsx'
import { useSourceLink } from '../view/use-source-link.ts'
import { useViewed } from '../view/use-viewed.ts'

export interface SourceBesideProps {
  onClose(): void
  /** Gets the focus at the end where no link opened this. */
  fallback: RefObject<HTMLElement | null>
}

/** The source that the URL names, at its quote, as the viewer shows it. */
export function SourceBeside({ onClose, fallback }: SourceBesideProps) {
  const { get } = useUrl()
  const viewed = useViewed()
  const { name, units, chosen, error, refetch, isPending, isLoading } = viewed
  const original = useSourceLink(viewed, 'original')
  const text = useSourceText(viewed)
  const [unit, quote] = [get('unit'), get('quote')]
  const panel = useRef<HTMLElement>(null)
  const opener = useRef<HTMLElement | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is opened by another link
  useEffect(() => {
    const active = document.activeElement
    if (!(active instanceof HTMLAnchorElement) || panel.current?.contains(active)) return
    opener.current = active
    panel.current?.focus()
  }, [unit, quote])
  const close = () => {
    const target = opener.current?.isConnected ? opener.current : fallback.current
    onClose()
    target?.focus()
  }
  useKeys({ Escape: close })
  const isWhole = chosen !== undefined && !isPending && !isLoading && !original.isLoading && !text.isLoading
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label="Source beside the answer"
      aria-busy={!isWhole && !error}
      className="flex min-w-0 scroll-mt-28 flex-col gap-3 self-start rounded-surface border border-line bg-surface p-4 max-broad:self-stretch broad:sticky broad:top-4 broad:max-h-[calc(100dvh-32px)] broad:overflow-y-auto"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1">{isWhole ? <SafeText>{name}</SafeText> : 'Source'}</h2>
        <PageLink
          to="/view"
          search={{ unit, quote }}
          className="control inline-flex items-center text-ink no-underline"
        >
          Open
        </PageLink>
        <Button aria-label="Close the source" onClick={close}>
          <X aria-hidden className="size-4" />
        </Button>
      </div>
      {error && <Problem error={error} onRetry={refetch} />}
      {!isWhole && !error && <Skeleton height={480} />}
      {isWhole && (
        <>
          {original.link?.inline && <Source units={units} chosen={chosen} original={original} />}
          <SourceText units={units} chosen={chosen} ofSource={text} />
        </>
      )}
    </aside>
  )
}
