import { Command, Contrast, Menu as MenuIcon } from 'lucide-react'
import { memo, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Mark } from '../components/mark.tsx'
import { Menu } from '../components/menu.tsx'
import { PageLink } from '../components/page-link.tsx'
import { useSignedOut } from '../session/session.tsx'
import { leave } from './leave.ts'
import { Pickers } from './pickers.tsx'
import { SignedInAs } from './signed-in-as.tsx'
import { currentTheme, setTheme, type Theme } from './theme.ts'

export interface BannerProps {
  isMenuOpen: boolean
  onMenu(): void
  onPalette(): void
}

const themes: readonly { name: string; theme: Theme }[] = [
  { name: 'System', theme: 'system' },
  { name: 'Light', theme: 'light' },
  { name: 'Dark', theme: 'dark' },
]

export const Banner = memo(({ isMenuOpen, onMenu, onPalette }: BannerProps) => {
  const signedOut = useSignedOut()
  const [theme, setChosen] = useState(currentTheme)
  const choose = (next: Theme) => {
    setTheme(next)
    setChosen(next)
  }
  return (
    <header className="sticky top-0 z-10 flex flex-wrap items-center gap-2 border-b border-line bg-surface px-3 py-2">
      {!signedOut && (
        <Button className="wide:hidden" aria-expanded={isMenuOpen} aria-controls="main-navigation" onClick={onMenu}>
          <MenuIcon aria-hidden className="size-4" />
          <span className="sr-only">Menu</span>
        </Button>
      )}
      <PageLink to="/search" className="flex min-w-0 text-ink no-underline hover:no-underline wide:mr-2">
        <Mark nameClass="max-wide:sr-only" />
      </PageLink>
      <div className="flex min-w-0 flex-1 basis-full gap-2 max-wide:order-last wide:basis-auto">
        {!signedOut && <Pickers />}
      </div>
      {!signedOut && (
        <Button className="max-wide:ml-auto" aria-label="Command palette" title="Ctrl K" onClick={onPalette}>
          <Command aria-hidden className="size-4" />
        </Button>
      )}
      <Menu
        label="Theme"
        items={themes.map(({ name, theme: one }) => ({
          name,
          chosen: one === theme,
          onSelect: () => choose(one),
        }))}
      >
        <Contrast aria-hidden className="size-4" />
      </Menu>
      {!signedOut && (
        <Menu label="Account" about={<SignedInAs />} items={[{ name: 'Sign out', onSelect: () => void leave() }]} />
      )}
    </header>
  )
})
