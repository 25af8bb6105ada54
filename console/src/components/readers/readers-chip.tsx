import { Globe, Lock, Users } from 'lucide-react'
import { lazy, memo, Suspense, useState } from 'react'
import { useSession } from '../../session/session.tsx'
import { type Reader, readersText } from './words.ts'

const ReadersPanel = lazy(() => import('./readers-panel.tsx').then((module) => ({ default: module.ReadersPanel })))

/** A Unit, or all readable Units of a document. */
export interface ReadersOf {
  title: string
  /** Of a document, its first Unit. */
  unitId: string
  /** Absent for a Unit alone. */
  docId?: string | null | undefined
  scopes: readonly string[]
  /** Null where the Units of a document differ. */
  readers: readonly Reader[] | null | undefined
}

/** Who may read it, in a few words. It opens a panel that names them. */
export const ReadersChip = memo(({ of }: { of: ReadersOf }) => {
  const { context } = useSession()
  const [isOpen, setOpen] = useState(false)
  const text = readersText(of.readers, of.scopes, context?.principal.principalId)
  const Icon = text.startsWith('everyone') ? Globe : text.startsWith('only') ? Lock : Users
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="inline-flex h-6 max-w-full items-center gap-1 rounded-control border border-line bg-surface px-1.5 align-middle text-small text-muted hover:bg-hover pointer-coarse:h-9"
      >
        <Icon aria-hidden className="size-3 shrink-0" />
        <span className="sr-only">Readers: </span>
        <bdi className="min-w-0 truncate">{text}</bdi>
      </button>
      {isOpen && (
        <Suspense>
          <ReadersPanel of={of} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
})
