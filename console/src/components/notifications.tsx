import { useEffect, useSyncExternalStore } from 'react'

let current = ''
const listeners = new Set<() => void>()

/** Says something that needs no answer; assistive technology reads it. */
export function notify(text: string): void {
  current = text
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Notifications() {
  const text = useSyncExternalStore(subscribe, () => current)
  useEffect(() => {
    if (text === '') return
    const timer = setTimeout(() => notify(''), 6_000)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div
      role="status"
      aria-label="Notifications"
      className="pointer-events-none fixed inset-x-0 bottom-4 z-40 mx-auto w-fit max-w-[90vw] rounded-surface border border-line bg-raised px-4 py-2 shadow-lg empty:border-transparent empty:bg-transparent empty:shadow-none"
    >
      {text}
    </div>
  )
}
