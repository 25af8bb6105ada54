import { type Ref, useState } from 'react'
import { Button } from '../../components/button.tsx'

export interface QuestionFormProps {
  ref: Ref<HTMLInputElement>
  /** What may be written here. */
  label: string
  busy: boolean
  onAsk(question: string): void
}

/** At the end of the page, and in sight below a long conversation. */
export function QuestionForm({ ref, label, busy, onAsk }: QuestionFormProps) {
  const [text, setText] = useState('')
  return (
    <form
      className="sticky bottom-0 mt-auto flex gap-3 bg-canvas py-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (busy || text.trim() === '') return
        onAsk(text.trim())
        setText('')
      }}
    >
      <input
        ref={ref}
        aria-label="Question"
        dir="auto"
        maxLength={8192}
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
        className="control min-w-0 flex-1"
      />
      <Button type="submit" look="primary" busy={busy}>
        Ask
      </Button>
    </form>
  )
}
