import { useNavigate, useRouter } from '@tanstack/react-router'
import { useCallback } from 'react'
import { notify } from '../components/notifications.tsx'
import { useKept } from '../session/url.ts'
import { CommandPalette } from './command-palette.tsx'
import { useKeys } from './keys.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { pages } from './pages.ts'
import { turnTheme } from './theme.ts'

export interface ShortcutsProps {
  dialog: 'palette' | 'keys' | null
  onDialog(dialog: 'palette' | 'keys' | null): void
}

/** The keys that act on every page. */
export function Shortcuts({ dialog, onDialog }: ShortcutsProps) {
  const navigate = useNavigate()
  const router = useRouter()
  const kept = useKept()
  const go = (to: string) => navigate({ to, search: kept })
  useKeys({
    ...Object.fromEntries(pages.map(({ to, key }) => [`g ${key}`, () => void go(to)])),
    'mod+k': () => onDialog(dialog === 'palette' ? null : 'palette'),
    '?': () => onDialog('keys'),
    t: () => notify(`Theme: ${turnTheme()}`),
    '/': () => {
      if (focusSearchBox()) return
      const stop = router.subscribe('onRendered', ({ toLocation }) => {
        if (toLocation.pathname !== '/search' || focusSearchBox()) stop()
      })
      void go('/search')
    },
  })
  const close = useCallback(() => onDialog(null), [onDialog])
  const showKeys = useCallback(() => onDialog('keys'), [onDialog])
  return (
    <>
      <CommandPalette open={dialog === 'palette'} onClose={close} onKeys={showKeys} />
      <KeysDialog open={dialog === 'keys'} onClose={close} />
    </>
  )
}

function focusSearchBox(): boolean {
  const box = document.querySelector<HTMLElement>('input[type="search"]')
  box?.focus()
  return box !== null
}
