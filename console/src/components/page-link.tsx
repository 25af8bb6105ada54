import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { type UrlSearch, useKept } from '../session/url.ts'

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

/** A link to a page of the console. */
export function PageLink({ to, search = {}, ...props }: PageLinkProps) {
  return <Link to={to} search={{ ...useKept(), ...search }} {...props} />
}
