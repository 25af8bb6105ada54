import { Combobox as Base } from '@base-ui/react/combobox'
import { option, popup } from './popup.ts'

export interface ComboboxProps {
  label: string
  items: readonly string[]
  /** Empty: nothing is chosen. */
  value: string
  onChange(value: string): void
  /** Shows the label above, not only to assistive technology. */
  showLabel?: boolean
  className?: string
}

/** A text field that chooses one of `items`. */
export function Combobox({ label, items, value, onChange, showLabel = false, className = '' }: ComboboxProps) {
  const all = value === '' || items.includes(value) ? items : [value, ...items]
  return (
    <Base.Root
      items={all}
      value={value === '' ? null : value}
      onValueChange={(next) => {
        if (next !== null && next !== value) onChange(next)
      }}
    >
      <div className={`relative min-w-0 ${className}`}>
        {showLabel && (
          <span aria-hidden className="mb-1 block">
            {label}
          </span>
        )}
        <Base.InputGroup className="relative">
          <Base.Input aria-label={label} className="control w-full truncate pr-7" />
          <Base.Trigger aria-label="Show options" tabIndex={-1} className="absolute inset-y-0 right-0 w-7 text-muted">
            <span aria-hidden>▾</span>
          </Base.Trigger>
        </Base.InputGroup>
      </div>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-40">
          <Base.Popup className={`${popup} w-(--anchor-width) min-w-48`}>
            <Base.Empty>
              <div className="px-3 py-2 text-muted empty:hidden">Nothing fits.</div>
            </Base.Empty>
            <Base.List className="max-h-[min(360px,var(--available-height))] overflow-y-auto py-1">
              {(item: string) => (
                <Base.Item key={item} value={item} className={option}>
                  <bdi className="min-w-0 flex-1 truncate">{item}</bdi>
                  <Base.ItemIndicator>✓</Base.ItemIndicator>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
