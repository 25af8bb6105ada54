import { Combobox as Base } from '@base-ui/react/combobox'
import { X } from 'lucide-react'
import { useId } from 'react'
import { option, popup } from './popup.ts'

interface ItemsProps {
  label: string
  items: readonly string[]
  /** What an item is called. Default: as it is. */
  nameOf?: (item: string) => string
  /** Shows the label above, not only to assistive technology. */
  showLabel?: boolean
  className?: string
  /** What is being typed. */
  onType?: (text: string) => void
}

const asItIs = (item: string) => item

export interface ComboboxProps extends ItemsProps {
  /** Empty: nothing is chosen, unless `items` has it. */
  value: string
  onChange(value: string): void
  /** What an item shows to people where its name, which stays in the field, is a sign. */
  wordsOf?: (item: string) => string
}

/** A text field that chooses one of `items`. */
export function Combobox(props: ComboboxProps) {
  const { label, items, nameOf = asItIs, wordsOf = nameOf, value, onChange, onType, showLabel, className = '' } = props
  const words = wordsOf(value) === nameOf(value) ? undefined : wordsOf(value)
  const all = value === '' || items.includes(value) ? items : [value, ...items]
  return (
    <Base.Root
      items={all}
      value={all.includes(value) ? value : null}
      itemToStringLabel={nameOf}
      {...(props.wordsOf && {
        filter: (item: string, typed: string) =>
          `${nameOf(item)} ${wordsOf(item)}`.toLowerCase().includes(typed.trim().toLowerCase()),
      })}
      onInputValueChange={(text) => onType?.(text)}
      onValueChange={(next) => {
        if (next !== null && next !== value) onChange(next)
      }}
    >
      <div className={`relative flex min-w-0 flex-col gap-1 ${className}`}>
        {showLabel && <Label>{label}</Label>}
        <Base.InputGroup className="relative" title={words && nameOf(value)}>
          <Base.Input
            aria-label={label}
            aria-description={words}
            // What is typed takes the place of what is chosen.
            onFocus={({ target }) => target.select()}
            className="peer control w-full truncate pr-7"
          />
          {words && (
            <span
              aria-hidden
              className="pointer-events-none absolute inset-y-px left-px flex items-center rounded-control bg-surface pl-2.5 peer-focus:hidden"
            >
              {words}
            </span>
          )}
          <Base.Trigger aria-label="Show options" tabIndex={-1} className="absolute inset-y-0 right-0 w-7 text-muted">
            <span aria-hidden>▾</span>
          </Base.Trigger>
        </Base.InputGroup>
      </div>
      <Options nameOf={wordsOf} />
    </Base.Root>
  )
}

export interface ComboboxManyProps extends ItemsProps {
  hint: string
  chosen: readonly string[]
  onChange(chosen: string[]): void
}

/** A text field that chooses some of `items`, which stand before it. */
export function ComboboxMany(props: ComboboxManyProps) {
  const { label, hint, items, nameOf = asItIs, chosen, onChange, onType, showLabel, className = '' } = props
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
      <div className={`flex flex-col gap-1 ${className}`}>
        {showLabel && <Label>{label}</Label>}
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
            className="h-5.5 min-w-32 flex-1 bg-transparent px-1.5 outline-none pointer-coarse:h-9"
          />
        </Base.Chips>
        <span id={id} className="text-small text-muted">
          {hint}
        </span>
      </div>
      <Options label={`Choices of ${label}`} nameOf={nameOf} />
    </Base.Root>
  )
}

const Label = ({ children }: { children: string }) => <span aria-hidden>{children}</span>

/** What can be chosen. `label`: where it stands by itself. */
function Options({ label, nameOf }: { label?: string; nameOf(item: string): string }) {
  return (
    <Base.Portal>
      <Base.Positioner sideOffset={4} className="z-40">
        <Base.Popup
          role={label && 'region'}
          aria-label={label}
          className={`${popup} w-max max-w-[min(420px,90vw)] min-w-[max(var(--anchor-width),192px)]`}
        >
          <Base.Empty>
            <div className="px-3 py-2 text-muted empty:hidden">Nothing fits.</div>
          </Base.Empty>
          <Base.List className="max-h-[min(320px,var(--available-height))] overflow-y-auto py-1">
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
  )
}
