import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { intoSight, option, placeBeside, popup } from './popup.ts'

interface ItemsProps {
  label: string
  items: readonly string[]
  /** What an item is called. Default: as it is. */
  nameOf?: (item: string) => string
  /** Shows the label above, not only to assistive technology. */
  showLabel?: boolean
  className?: string
  /** What is being typed; nothing once an item is chosen or the field is left. */
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
  const { label, items, nameOf = asItIs, wordsOf = nameOf, value, onChange, showLabel, className = '' } = props
  const words = wordsOf(value) === nameOf(value) ? undefined : wordsOf(value)
  const all = value === '' || items.includes(value) ? items : [value, ...items]
  const isChosen = (item: string) => item === value
  const { field, typed, options } = useOptions({
    ...props,
    items: all,
    wordsOf,
    isChosen,
    onPick: (item) => !isChosen(item) && onChange(item),
  })
  return (
    <div className={`relative flex min-w-0 flex-col gap-1 ${className}`}>
      {showLabel && <Label>{label}</Label>}
      <div className="relative" title={words && nameOf(value)}>
        <input
          {...field}
          aria-description={words}
          value={typed ?? (all.includes(value) ? nameOf(value) : '')}
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
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 right-0 flex w-7 items-center justify-center text-muted"
        >
          ▾
        </span>
      </div>
      {options}
    </div>
  )
}

export interface ComboboxManyProps extends ItemsProps {
  hint: string
  chosen: readonly string[]
  onChange(chosen: string[]): void
}

/** A text field that chooses some of `items`, which stand before it. */
export function ComboboxMany(props: ComboboxManyProps) {
  const { label, hint, nameOf = asItIs, chosen, onChange, showLabel, className = '' } = props
  const id = useId()
  const without = (item: string) => chosen.filter((one) => one !== item)
  const isChosen = (item: string) => chosen.includes(item)
  const { field, typed, options } = useOptions({
    ...props,
    wordsOf: nameOf,
    isChosen,
    onPick: (item) => onChange(isChosen(item) ? without(item) : [...chosen, item]),
  })
  return (
    <div className={`flex flex-col gap-1 ${className}`}>
      {showLabel && <Label>{label}</Label>}
      <div className="flex flex-wrap items-center gap-1 rounded-control border border-control bg-surface p-1 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent">
        {chosen.map((item) => (
          <span
            key={item}
            className="flex max-w-full items-center gap-1 rounded-control bg-hover py-0.5 pr-0.5 pl-2 text-small"
          >
            <bdi className="min-w-0 truncate">{nameOf(item)}</bdi>
            <button
              type="button"
              aria-label={`Remove ${nameOf(item)}`}
              onClick={() => onChange(without(item))}
              className="flex size-6 items-center justify-center rounded-control hover:bg-surface pointer-coarse:size-9"
            >
              <X aria-hidden className="size-3" />
            </button>
          </span>
        ))}
        <input
          {...field}
          aria-describedby={id}
          value={typed ?? ''}
          onKeyDown={(event) => {
            if (event.key === 'Backspace' && !typed && chosen.length > 0) onChange(chosen.slice(0, -1))
            field.onKeyDown(event)
          }}
          className="h-5.5 min-w-32 flex-1 bg-transparent px-1.5 outline-none pointer-coarse:h-9"
        />
      </div>
      {options}
      <span id={id} className="text-small text-muted">
        {hint}
      </span>
    </div>
  )
}

const Label = ({ children }: { children: string }) => <span aria-hidden>{children}</span>

/** The others are found by typing. */
const shown = 100

interface OptionsProps extends ItemsProps {
  wordsOf(item: string): string
  isChosen(item: string): boolean
  onPick(item: string): void
}

/**
 * A field, whose text is `typed`, and the options below it while it is used. The focus stays in the field, and the
 * options stand beside it in the document: in the same dialog and landmark.
 */
function useOptions({ label, items, nameOf = asItIs, wordsOf, isChosen, onPick, onType }: OptionsProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  /** Null: what is chosen stands in the field. */
  const [typed, setTyped] = useState<string | null>(null)
  const [at, setAt] = useState(-1)
  const word = typed?.trim().toLowerCase() ?? ''
  const found = isOpen ? items.filter((item) => `${nameOf(item)} ${wordsOf(item)}`.toLowerCase().includes(word)) : []
  const fitting = found.slice(0, shown)
  const write = (text: string | null) => {
    setTyped(text)
    if (text !== typed) onType?.(text ?? '')
  }
  const open = () => {
    if (isOpen) return
    setOpen(true)
    setAt(items.findIndex(isChosen))
  }
  const close = () => {
    setOpen(false)
    write(null)
  }
  const pick = (item: string) => {
    close()
    onPick(item)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    if (!isOpen) {
      if (key === 'ArrowDown' || key === 'ArrowUp') open()
      else return
    } else if (key === 'ArrowDown') setAt(at + 1 < fitting.length ? at + 1 : 0)
    else if (key === 'ArrowUp') setAt(at > 0 ? at - 1 : fitting.length - 1)
    else if (key === 'Enter' && fitting[at] !== undefined) pick(fitting[at])
    else if (key === 'Escape') close()
    else return
    event.preventDefault()
    // Of a dialog around it, Escape closes the options alone.
    event.stopPropagation()
  }
  const optionId = (index: number) => `${id}-${index}`
  const field = {
    ref: input,
    role: 'combobox',
    'aria-label': label,
    'aria-expanded': fitting.length > 0,
    'aria-autocomplete': 'list',
    'aria-controls': fitting.length > 0 ? id : undefined,
    'aria-activedescendant': fitting[at] === undefined ? undefined : optionId(at),
    autoComplete: 'off',
    spellCheck: false,
    onKeyDown,
    onClick: open,
    onBlur: close,
    onChange: ({ target }: { target: HTMLInputElement }) => {
      write(target.value)
      setOpen(true)
      setAt(target.value.trim() === '' ? -1 : 0)
    },
  } as const
  const options = isOpen && (
    <Popup beside={input}>
      {fitting.length === 0 && <div className="px-3 py-2 text-muted">Nothing fits.</div>}
      {fitting.length > 0 && (
        <div id={id} role="listbox" aria-label={label}>
          {fitting.map((item, index) => (
            <button
              key={item}
              ref={index === at ? intoSight : undefined}
              id={optionId(index)}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={isChosen(item)}
              onPointerMove={() => setAt(index)}
              onClick={() => pick(item)}
              className={`${option} w-full text-left ${index === at ? 'bg-hover' : ''}`}
            >
              <bdi className="min-w-0 flex-1 truncate">{wordsOf(item)}</bdi>
              {isChosen(item) && <span aria-hidden>✓</span>}
            </button>
          ))}
        </div>
      )}
      {found.length > shown && (
        <div className="px-3 py-2 text-small text-muted">and {found.length - shown} more: type a part of the name</div>
      )}
    </Popup>
  )
  return { field, typed, options }
}

/** Lies above all else, and stays beside its field. */
function Popup({ beside, children }: { beside: { current: HTMLElement | null }; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const place = () => {
    const field = beside.current?.parentElement
    if (!field || !box.current) return
    box.current.style.minWidth = `${field.offsetWidth}px`
    placeBeside(field, box.current, 'start')
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as it opens
  useLayoutEffect(() => {
    box.current?.showPopover()
    // The focus stays in the field.
    box.current?.addEventListener('mousedown', (event) => event.preventDefault())
    const events = ['scroll', 'resize'] as const
    for (const name of events) window.addEventListener(name, place, true)
    return () => {
      for (const name of events) window.removeEventListener(name, place, true)
    }
  }, [])
  // As much as fits what is typed.
  useLayoutEffect(place)
  return (
    <div
      ref={box}
      popover="manual"
      className={`${popup} m-0 max-h-80 w-max max-w-[min(420px,90vw)] overflow-y-auto py-1`}
    >
      {children}
    </div>
  )
}
