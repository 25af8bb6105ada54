import { lazy, Suspense } from 'react'
import { Dialog } from '../components/dialog.tsx'
import type { CommandsProps } from './commands.tsx'

const Commands = lazy(() => import('./commands.tsx').then((module) => ({ default: module.Commands })))

/** Its content is loaded when it is first opened. */
export function CommandPalette({ open, onClose, onKeys }: CommandsProps & { open: boolean }) {
  return (
    <Dialog title="Command palette" open={open} onClose={onClose} showTitle={false}>
      <Suspense fallback={<div className="h-11" />}>
        <Commands onClose={onClose} onKeys={onKeys} />
      </Suspense>
    </Dialog>
  )
}
