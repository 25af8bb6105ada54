import type { ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { Empty } from './empty.tsx'

export interface NothingInProps {
  /** The next step of someone who may write: words, or a link. */
  upload: ReactNode
}

/** Nothing is in the chosen scope that may be read. */
export function NothingIn({ upload }: NothingInProps) {
  const { context, as } = useSession()
  if (as !== undefined) return <Empty>Nothing here that both of you may read. Choose another scope.</Empty>
  const mayWrite = context?.perms.includes('write') ?? false
  return (
    <Empty action={mayWrite && upload}>
      Nothing here that you may read.{' '}
      {mayWrite
        ? 'Add files to search in and to ask about, or choose another scope.'
        : 'Choose another scope, or ask an admin for access.'}
    </Empty>
  )
}
