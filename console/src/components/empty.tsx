import type { ReactNode } from 'react'

/** Nothing to show: why, and the next step. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-3 rounded-surface border border-dashed border-line px-4 py-6 text-muted">
      <p>{children}</p>
      {action}
    </div>
  )
}
