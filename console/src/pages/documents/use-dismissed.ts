import { useState } from 'react'
import type { RunFragment } from './generated/graphql.ts'

const name = 'console.dismissed'
/** Older ones come back. */
const most = 500

const stored = (): string[] => JSON.parse(localStorage.getItem(name) ?? '[]')

/** One that fails once more is shown once more. */
const keyOf = ({ documentId, updatedAt }: RunFragment) => `${documentId} ${updatedAt}`

/** Failures that this browser shows no more. The documents stay as they are: an earlier version may be found. */
export function useDismissed() {
  const [keys, setKeys] = useState<ReadonlySet<string>>(() => new Set(stored()))
  const dismiss = (runs: readonly RunFragment[]) => {
    const next = [...stored(), ...runs.map(keyOf)].slice(-most)
    localStorage.setItem(name, JSON.stringify(next))
    setKeys(new Set(next))
  }
  return { isDismissed: (run: RunFragment) => run.status === 'failed' && keys.has(keyOf(run)), dismiss }
}
