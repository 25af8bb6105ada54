import { useLocation } from '@tanstack/react-router'
import { memo } from 'react'
import { PageLink } from '../components/page-link.tsx'
import { pages } from './pages.ts'

export const Navigation = memo(({ isOpen, onLeave }: { isOpen: boolean; onLeave(): void }) => {
  const pathname = useLocation({ select: (location) => location.pathname })
  return (
    <nav
      id="main-navigation"
      aria-label="Main"
      className={`${isOpen ? 'flex' : 'hidden'} shrink-0 flex-col gap-0.5 border-line px-2 py-3 max-wide:border-b wide:sticky wide:top-[49px] wide:flex wide:h-[calc(100dvh-49px)] wide:w-44 wide:border-r`}
    >
      {pages.map(({ name, icon: Icon, to, root }) => {
        const isCurrent = pathname === root || pathname.startsWith(`${root}/`)
        return (
          <PageLink
            key={name}
            to={to}
            onClick={onLeave}
            aria-current={isCurrent ? 'page' : undefined}
            className="flex h-8 items-center gap-2.5 rounded-control px-3 text-ink no-underline hover:bg-hover hover:no-underline aria-[current=page]:bg-hover aria-[current=page]:font-strong aria-[current=page]:shadow-[inset_3px_0_0_var(--accent)] pointer-coarse:h-11"
          >
            <Icon aria-hidden className="size-4 shrink-0 text-muted" />
            {name}
          </PageLink>
        )
      })}
    </nav>
  )
})
