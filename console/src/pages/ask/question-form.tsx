import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'

export interface QuestionFormProps {
  /** The question that was asked. */
  question: string
  busy: boolean
  onAsk(question: string): void
}

export function QuestionForm({ question, busy, onAsk }: QuestionFormProps) {
  const [text, setText] = useState(question)
  useEffect(() => setText(question), [question])
  return (
    <form
      className="flex gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') onAsk(text.trim())
      }}
    >
      <input
        aria-label="Question"
        dir="auto"
        maxLength={8192}
        placeholder="A question"
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
