import { type Ref, useState } from 'react'
import { Button } from '../../components/button.tsx'

export interface QuestionFormProps {
  ref: Ref<HTMLInputElement>
  /** No question stands above. */
  isFirst: boolean
  busy: boolean
  onAsk(question: string): void
}

/** Below a conversation at the end of the window, however long it is. */
export function QuestionForm({ ref, isFirst, busy, onAsk }: QuestionFormProps) {
  const [text, setText] = useState('')
  return (
    <form
      className={`sticky bottom-0 flex gap-3 bg-canvas py-3 ${isFirst ? '' : 'mt-auto'}`}
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
        placeholder={isFirst ? 'A question' : 'A question that follows'}
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
