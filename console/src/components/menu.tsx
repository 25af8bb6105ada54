import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'
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
  className?: string
}

export function Menu({ label, children = label, items, className = '' }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger
        aria-label={label}
        className={`control inline-flex items-center justify-center gap-2 whitespace-nowrap ${className}`}
      >
        {children}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-20">
          <Base.Popup className={`${popup} min-w-40 py-1`}>
            {items.map(({ name, onSelect, chosen = false }) => (
              <Base.Item key={name} onClick={onSelect} className={option}>
                <span className="flex-1">{name}</span>
                {chosen && <span aria-hidden>✓</span>}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
