import { useRef } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { Commands, type CommandsProps } from './commands.tsx'

/** In the first load: what is typed right after it opens must not be lost. */
export function CommandPalette({ open, onClose, onKeys }: Omit<CommandsProps, 'field'> & { open: boolean }) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <Dialog title="Command palette" open={open} onClose={onClose} showTitle={false} focus={field}>
      <Commands onClose={onClose} onKeys={onKeys} field={field} />
    </Dialog>
  )
}
