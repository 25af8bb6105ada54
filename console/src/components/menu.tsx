import { Menu as Base } from '@base-ui/react/menu'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { option, popup } from './popup.ts'

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
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const isByKey = useRef(false)
  const openByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    isByKey.current = true
    setOpen(true)
  }
  const focusIfByKey = (item: HTMLElement | null) => {
    // The menu itself takes the focus first.
    if (item && isByKey.current) requestAnimationFrame(() => item.focus())
    isByKey.current = false
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        // Enter and Space are clicks of no mouse.
        onClick={({ detail }) => {
          isByKey.current = detail === 0
          setOpen(!isOpen)
        }}
        onKeyDown={openByKey}
        className={`control inline-flex items-center justify-center gap-2 whitespace-nowrap ${className}`}
      >
        {children}
      </button>
      {isOpen && (
        <Base.Root
          modal={false}
          open
          onOpenChange={(_, { event }) => {
            // A click on the button closes it by itself.
            if (!(event.target instanceof Node && button.current?.contains(event.target))) setOpen(false)
          }}
        >
          <Base.Portal>
            <Base.Positioner anchor={button} sideOffset={4} align="end" className="z-20">
              <Base.Popup aria-label={label} finalFocus={button} className={`${popup} min-w-40 py-1`}>
                <Base.Group>
                  {about && <Base.GroupLabel className="border-b border-line px-3 pt-1 pb-2">{about}</Base.GroupLabel>}
                  {items.map(({ name, onSelect, chosen = false }, index) => (
                    <Base.Item
                      key={name}
                      ref={index === 0 ? focusIfByKey : undefined}
                      onClick={onSelect}
                      className={option}
                    >
                      <span className="flex-1">{name}</span>
                      {chosen && <span aria-hidden>✓</span>}
                    </Base.Item>
                  ))}
                </Base.Group>
              </Base.Popup>
            </Base.Positioner>
          </Base.Portal>
        </Base.Root>
      )}
    </>
  )
}
