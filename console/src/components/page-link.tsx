import { useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { stringifySearch, type UrlSearch, useKept } from '../session/url.ts'

export interface PageLinkProps {
  to: string
  /** Further state; the namespace, the scope and whom one views as stay. */
  search?: UrlSearch
  children: ReactNode
  className?: string
  'aria-current'?: ComponentProps<'a'>['aria-current']
  onClick?: () => void
  id?: string
  tabIndex?: number
}

/** Pages whose parts are there, or on their way. */
const preloaded = new Set<string>()

/** A link to a page of the console. A list may have thousands: the router's own costs more than the rest of a row. */
export function PageLink({ to, search = {}, onClick, ...props }: PageLinkProps) {
  const router = useRouter()
  const all = { ...useKept(), ...search }
  const preload = () => {
    if (preloaded.has(to)) return
    preloaded.add(to)
    void router.preloadRoute({ to }).catch(() => preloaded.delete(to))
  }
  const follow = (event: MouseEvent) => {
    onClick?.()
    // Others open a tab or a window.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void router.navigate({ to, search: all })
  }
  return <a href={to + stringifySearch(all)} onClick={follow} onPointerEnter={preload} onFocus={preload} {...props} />
}
