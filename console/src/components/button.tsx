import type { ComponentProps } from 'react'

const looks = {
  primary: 'border-accent bg-accent text-on-accent',
  plain: '',
  quiet: 'border-transparent bg-transparent hover:bg-hover',
  danger: 'text-danger',
  /** In a line of a list: its text stands where the text of other lines does. */
  row: 'border-transparent bg-transparent hover:bg-hover -mx-2.5 h-7! text-table max-wide:pointer-coarse:h-11!',
} as const

export interface ButtonProps extends ComponentProps<'button'> {
  look?: keyof typeof looks
  /** Something is under way: the button stays focused, and does nothing. */
  busy?: boolean
}

export function Button({ look = 'plain', busy = false, className = '', onClick, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={`control inline-flex items-center justify-center gap-2 whitespace-nowrap disabled:border-line disabled:bg-hover disabled:text-muted aria-disabled:opacity-60 ${looks[look]} ${className}`}
      {...props}
    />
  )
}
