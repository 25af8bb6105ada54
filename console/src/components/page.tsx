import { type ReactNode, useEffect } from 'react'
import { brandName } from '../graphql/brand.ts'
import { useSession } from '../session/session.tsx'

export interface PageProps {
  title: string
  /** What the title shows where it is content. Default: the title. */
  heading?: ReactNode
  /** Beside the heading. */
  actions?: ReactNode
  busy?: boolean
  children?: ReactNode
}

/** The main part of a page: its one heading, its title. */
export function Page({ title, heading = title, actions, busy = false, children }: PageProps) {
  const { namespace } = useSession()
  useEffect(() => {
    document.title = [title, namespace, brandName].filter((part) => part !== '').join(' - ')
  }, [title, namespace])
  return (
    <main
      id="content"
      tabIndex={-1}
      aria-busy={busy}
      className="mx-auto flex w-full max-w-[1200px] min-w-0 flex-1 flex-col gap-4 px-4 py-4 outline-none wide:px-6"
    >
      <div className="flex min-h-8 flex-wrap items-center gap-3">
        <h1 className="min-w-0 flex-auto">{heading}</h1>
        {actions}
      </div>
      {children}
    </main>
  )
}
