import { Dialog } from '../components/dialog.tsx'
import { Commands, type CommandsProps } from './commands.tsx'

/** In the first load: what is typed right after it opens must not be lost. */
export const CommandPalette = ({ open, onClose, onKeys }: CommandsProps & { open: boolean }) => (
  <Dialog title="Command palette" open={open} onClose={onClose} showTitle={false}>
    <Commands onClose={onClose} onKeys={onKeys} />
  </Dialog>
)
