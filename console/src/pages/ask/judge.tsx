import { useMutation } from '@tanstack/react-query'
import { ThumbsDown, ThumbsUp } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { notify } from '../../components/notifications.tsx'
import { Problem } from '../../components/problem.tsx'
import type { ServiceError } from '../../graphql/service-error.ts'
import { request } from '../../graphql/transport.ts'
import { useSelection } from '../../session/selection.ts'
import { useSession } from '../../session/session.tsx'
import { type AskedFragment, type GoldenQueryInput, KeepAnswerDocument } from './generated/graphql.ts'

type Answer = NonNullable<AskedFragment['answer']>

export interface JudgeProps {
  /** As it was searched: a golden query has no conversation around it. */
  question: string
  answer: Answer
}

/**
 * A thumb up keeps the question with this answer and its sources as a golden query; a thumb down asks what would have
 * been right, and keeps that. Only for those who may write golden queries.
 */
export function Judge({ question, answer }: JudgeProps) {
  const { context, scope } = useSession()
  const selection = useSelection()
  const [verdict, setVerdict] = useState<'good' | 'bad' | null>(null)
  const [right, setRight] = useState('')
  const [isKept, setKept] = useState(false)
  // Not `useChange`, which would ask every question again.
  const keep = useMutation<unknown, ServiceError, GoldenQueryInput>({
    mutationFn: (query) => request(KeepAnswerDocument, { queries: [query] }, { selection }),
    onSuccess: () => {
      setKept(true)
      notify('Kept as golden query')
    },
  })
  if (!context?.perms.includes('admin') || context.principal.readOnly) return null
  const query = { q: question, scope: selection.scope ?? scope }
  const praise = () => {
    setVerdict('good')
    setKept(false)
    keep.mutate({
      ...query,
      expectedUnitIds: [...new Set(answer.citations.map(({ unitId }) => unitId))],
      expectedAnswers: [...new Set(answer.citations.map(({ quote }) => quote.slice(0, 2000)))].slice(0, 10),
    })
  }
  const choose = 'w-10 px-0! aria-pressed:bg-hover aria-pressed:border-accent'
  return (
    <>
      {!answer.abstained && (
        <Button
          aria-label="Good answer"
          title="Good answer: keep it as a golden query"
          aria-pressed={verdict === 'good'}
          busy={keep.isPending}
          className={choose}
          onClick={praise}
        >
          <ThumbsUp aria-hidden className="size-4" />
        </Button>
      )}
      <Button
        aria-label="Bad answer"
        title="Bad answer: say what is right"
        aria-pressed={verdict === 'bad'}
        className={choose}
        onClick={() => {
          setVerdict(verdict === 'bad' ? null : 'bad')
          setKept(false)
        }}
      >
        <ThumbsDown aria-hidden className="size-4" />
      </Button>
      {verdict === 'bad' && !isKept && (
        <form
          aria-label="Expected answer"
          className="flex basis-full flex-wrap items-start gap-3 rounded-surface border border-line bg-surface p-4"
          onSubmit={(event) => {
            event.preventDefault()
            keep.mutate({ ...query, expectedAnswers: [right.trim()] })
          }}
        >
          <Field
            label="What would be right?"
            hint="A word or a sentence that a right answer holds. Evaluation then asks this again."
            required
            maxLength={2000}
            autoFocus
            value={right}
            onChange={({ target }) => setRight(target.value)}
            className="min-w-60 flex-1"
          />
          <Button type="submit" className="narrow:mt-6" busy={keep.isPending}>
            Keep as golden query
          </Button>
        </form>
      )}
      {keep.error && (
        <div className="basis-full">
          <Problem error={keep.error} />
        </div>
      )}
    </>
  )
}
