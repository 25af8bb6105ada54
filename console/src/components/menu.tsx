import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { option, placeBeside, popup } from './popup.ts'

export interface MenuItem {
  name: string
  onSelect(): void
  /** Marks the choice in force. */
  chosen?: boolean
}

export interface MenuProps {
  /** The name of the button. */
  label: string
  /** What the button shows. Default: its name. */
  children?: ReactNode
  items: readonly MenuItem[]
  /** Stands above the items. */
  about?: ReactNode
  className?: string
}

/** A button that opens a menu. Until then it is a button alone: a list may have one in each of its items. */
export function Menu({ label, children = label, items, about, className = '' }: MenuProps) {
  const [opened, setOpened] = useState<'by key' | 'by pointer' | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={opened !== null}
        // Enter and Space are clicks of no mouse.
        onClick={({ detail }) => setOpened(opened === null ? (detail === 0 ? 'by key' : 'by pointer') : null)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          setOpened('by key')
        }}
        className={`control inline-flex items-center justify-center gap-2 whitespace-nowrap ${className}`}
      >
        {children}
      </button>
      {opened !== null && (
        <Popup
          label={label}
          items={items}
          about={about}
          button={button}
          isByKey={opened === 'by key'}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

interface PopupProps extends Pick<MenuProps, 'label' | 'items' | 'about'> {
  button: RefObject<HTMLButtonElement | null>
  /** The first item gets the focus, else the menu itself. */
  isByKey: boolean
  onClose(): void
}

/** Lies above all else, and stands beside its button in the document: in the same landmark, next in the order of Tab. */
function Popup({ label, items, about, button, isByKey, onClose }: PopupProps) {
  const menu = useRef<HTMLDivElement>(null)
  const itemsOf = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
  const leave = () => {
    button.current?.focus()
    onClose()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as it opens
  useLayoutEffect(() => {
    const { current } = menu
    if (!current || !button.current) return
    current.showPopover()
    placeBeside(button.current, current, 'end')
    const first = isByKey ? itemsOf()[0] : current
    first?.focus({ preventScroll: true })
  }, [])
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const away = ({ target }: Event) => {
      // A click on the button closes it by itself.
      if (target instanceof Node && (menu.current?.contains(target) || button.current?.contains(target))) return
      close.current()
    }
    const events = ['pointerdown', 'focusin', 'scroll', 'resize'] as const
    for (const name of events) window.addEventListener(name, away, true)
    return () => {
      for (const name of events) window.removeEventListener(name, away, true)
    }
  }, [button])
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    // The focus goes on from the button.
    if (key === 'Tab') return leave()
    const all = itemsOf()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next =
      key === 'ArrowDown'
        ? all[(at + 1) % all.length]
        : key === 'ArrowUp'
          ? all.at(at < 1 ? -1 : at - 1)
          : key === 'Home'
            ? all[0]
            : key === 'End'
              ? all.at(-1)
              : key.length === 1 && key !== ' '
                ? [...all.slice(at + 1), ...all].find((one) =>
                    one.innerText.toLowerCase().startsWith(key.toLowerCase()),
                  )
                : undefined
    if (key !== 'Escape' && next === undefined) return
    event.preventDefault()
    if (key === 'Escape') leave()
    else next?.focus()
  }
  return (
    <div
      ref={menu}
      popover="manual"
      role="menu"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className={`${popup} m-0 min-w-40 py-1`}
    >
      {about && <div className="border-b border-line px-3 pt-1 pb-2">{about}</div>}
      {items.map(({ name, onSelect, chosen = false }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onPointerMove={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
          onClick={() => {
            leave()
            onSelect()
          }}
          className={`${option} w-full text-left focus:bg-hover`}
        >
          <span className="flex-1">{name}</span>
          {chosen && <span aria-hidden>✓</span>}
        </button>
      ))}
    </div>
  )
}
