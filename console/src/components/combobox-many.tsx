import { Combobox as Base } from '@base-ui/react/combobox'
import { X } from 'lucide-react'
import { useId } from 'react'
import { option, popup } from './popup.ts'

export interface ComboboxManyProps {
  label: string
  hint: string
  items: readonly string[]
  /** What an item is called. */
  nameOf(item: string): string
  chosen: readonly string[]
  onChange(chosen: string[]): void
  /** What is being typed. */
  onType?: (text: string) => void
}

/** A text field that chooses some of `items`, which stand before it. */
export function ComboboxMany({ label, hint, items, nameOf, chosen, onChange, onType }: ComboboxManyProps) {
  const id = useId()
  return (
    <Base.Root
      multiple
      items={items}
      value={[...chosen]}
      onValueChange={onChange}
      onInputValueChange={(text) => onType?.(text)}
      itemToStringLabel={nameOf}
      limit={50}
      autoHighlight
    >
      <div className="flex flex-col gap-1">
        <Base.Chips className="flex flex-wrap items-center gap-1 rounded-control border border-control bg-surface p-1 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent">
          {chosen.map((item) => (
            <Base.Chip
              key={item}
              aria-label={nameOf(item)}
              className="flex max-w-full items-center gap-1 rounded-control bg-hover py-0.5 pr-0.5 pl-2 text-small"
            >
              <bdi className="min-w-0 truncate">{nameOf(item)}</bdi>
              <Base.ChipRemove
                aria-label={`Remove ${nameOf(item)}`}
                className="flex size-6 items-center justify-center rounded-control hover:bg-surface"
              >
                <X aria-hidden className="size-3" />
              </Base.ChipRemove>
            </Base.Chip>
          ))}
          <Base.Input
            aria-label={label}
            aria-describedby={id}
            className="h-7 min-w-32 flex-1 bg-transparent px-1.5 outline-none pointer-coarse:h-9"
          />
        </Base.Chips>
        <span id={id} className="text-small text-muted">
          {hint}
        </span>
      </div>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-40">
          <Base.Popup
            role="region"
            aria-label={`Choices of ${label}`}
            className={`${popup} w-(--anchor-width) min-w-48`}
          >
            <Base.Empty>
              <div className="px-3 py-2 text-muted empty:hidden">Nothing fits.</div>
            </Base.Empty>
            <Base.List className="max-h-[min(280px,var(--available-height))] overflow-y-auto py-1">
              {(item: string) => (
                <Base.Item key={item} value={item} className={option}>
                  <bdi className="min-w-0 flex-1 truncate">{nameOf(item)}</bdi>
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
