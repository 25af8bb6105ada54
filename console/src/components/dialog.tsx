import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode, RefObject } from 'react'

export interface DialogProps {
  title: string
  open: boolean
  onClose(): void
  children: ReactNode
  /** Shows the title, not only to assistive technology. Default: true. */
  showTitle?: boolean
  /** What gets the focus. Default: the first that can have it, which takes a look at all that is there. */
  focus?: RefObject<HTMLElement | null>
}

/** Lies above the page until Escape; the focus then returns to where it was. */
export function Dialog({ title, open, onClose, children, showTitle = true, focus }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-canvas/70" />
        <Base.Popup
          {...(focus && { initialFocus: focus })}
          className="fixed top-[8vh] left-1/2 z-30 flex max-h-[84vh] w-[min(600px,calc(100vw-24px))] -translate-x-1/2 flex-col overflow-auto rounded-surface border border-line bg-raised text-ink shadow-lg outline-none"
        >
          <Base.Title className={showTitle ? 'px-4 pt-4' : 'sr-only'}>{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
