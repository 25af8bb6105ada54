import { callSignIn } from './call-sign-in.ts'

/** The key of this tab. It is kept nowhere else, and wins over the session cookie. */
const keyName = 'console.key'
const channel = new BroadcastChannel('console.session')
const listeners = new Set<() => void>()
let isOut = false
let wasIn = false

export const currentKey = (): string | null => sessionStorage.getItem(keyName)

/** Uses a key from now on, in this tab alone. */
export function keepKey(key: string): void {
  sessionStorage.setItem(keyName, key)
  setOut(false)
}

/** The tab has a session again. */
export const signedIn = () => setOut(false)

/** A request with `key` (null: with the cookie) was refused. */
export function reportUnauthorized(key: string | null): void {
  // An answer to an earlier credential says nothing about this one.
  if (key !== currentKey()) return
  endHere(key)
}

/** Ends the session of this browser, or, with a key, of this tab alone. Rejects with a ServiceError if it stays open. */
export async function signOut(): Promise<void> {
  const key = currentKey()
  if (key === null) await callSignIn('sign-out', {})
  endHere(key)
}

function endHere(key: string | null): void {
  sessionStorage.removeItem(keyName)
  if (key === null) channel.postMessage('out')
  setOut(true)
}

channel.onmessage = () => {
  if (currentKey() === null) setOut(true)
}

function setOut(next: boolean): void {
  isOut = next
  for (const listener of listeners) listener()
}

export const isSignedOut = () => isOut

/** A request of this page was answered to someone: only then a session can end here. */
export const reportSignedIn = (): void => {
  wasIn = true
}
export const wasSignedIn = (): boolean => wasIn

/** Calls `listener` after each change of `isSignedOut`; returns how to stop. */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
