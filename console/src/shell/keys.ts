import { useEffect, useRef } from 'react'

/** What single keys do, by key. The innermost handler acts, unless it returns false. */
export type Keys = Record<string, () => unknown>

const layers: { current: Keys }[] = []
const switchName = 'console.keys'
let pending: string | null = null
let pendingTimer: ReturnType<typeof setTimeout> | undefined

export const areKeysOn = () => localStorage.getItem(switchName) !== 'off'

export const switchKeys = (isOn: boolean) => localStorage.setItem(switchName, isOn ? 'on' : 'off')

/** Acts on single keys, and on two after each other (`g s`), outside of text fields. */
export function useKeys(keys: Keys): void {
  const layer = useRef(keys)
  layer.current = keys
  useEffect(() => {
    layers.push(layer)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
    }
  }, [])
}

const isTextField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])'))

const isAbovePage = () => document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]') !== null

document.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey } = event
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return act('mod+k', event)
  if (ctrlKey || metaKey || altKey || event.defaultPrevented) return
  if (!areKeysOn() || isTextField(event.target) || isAbovePage()) return
  const combined = pending === null ? key : `${pending} ${key}`
  clearTimeout(pendingTimer)
  pending = null
  if (combined === 'g') {
    pending = 'g'
    pendingTimer = setTimeout(() => {
      pending = null
    }, 1_500)
    return
  }
  act(combined, event)
})

function act(name: string, event: KeyboardEvent): void {
  for (const { current } of layers.toReversed()) {
    if (name in current && current[name]?.() !== false) {
      event.preventDefault()
      return
    }
  }
}
