import { lazy, Suspense, useCallback, useRef, useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useUrl } from '../../session/url.ts'
import type { TurnInput } from './generated/graphql.ts'
import { QuestionForm } from './question-form.tsx'
import { Turn } from './turn.tsx'

const SourceBeside = lazy(() =>
  import('./source-beside.tsx').then(({ SourceBeside: Component }) => ({ default: Component })),
)

/** Questions of a conversation: what the service takes as history, and one more. */
const maxQuestions = 11

/** A conversation: questions and their answers, each from what one may read. All of it stands in the URL. */
export function AskPage() {
  const { get, list, set } = useUrl()
  const questions = list('q').slice(0, maxQuestions)
  const isBeside = get('unit') !== undefined
  const [busy, setBusy] = useState(true)
  const form = useRef<HTMLInputElement>(null)
  const ask = (question: string) => set({ q: [...questions, question], unit: undefined, quote: undefined })
  return (
    <Page
      title="Ask"
      busy={busy && questions.length > 0}
      actions={
        questions.length > 0 && (
          <PageLink to="/ask" className="control inline-flex items-center text-ink no-underline">
            New conversation
          </PageLink>
        )
      }
    >
      <div className={`flex flex-1 flex-col gap-6 ${isBeside ? 'broad:grid broad:grid-cols-2' : ''}`}>
        <div className="flex min-w-0 flex-1 flex-col gap-4">
          {questions.length === 0 && (
            <Empty action={<PageLink to="/documents">See what there is</PageLink>}>
              Type a question and press Enter. The answer comes from what you may read, with its sources.
            </Empty>
          )}
          {questions.length > 0 && <Turns questions={questions} at={0} history={[]} onBusy={setBusy} />}
          {questions.length < maxQuestions ? (
            <QuestionForm ref={form} isFirst={questions.length === 0} busy={busy && questions.length > 0} onAsk={ask} />
          ) : (
            <p className="text-muted">A conversation has at most {maxQuestions} questions.</p>
          )}
        </div>
        {isBeside && (
          <Suspense fallback={<Skeleton height={480} />}>
            <SourceBeside onClose={() => set({ unit: undefined, quote: undefined })} fallback={form} />
          </Suspense>
        )}
      </div>
    </Page>
  )
}

interface TurnsProps {
  questions: readonly string[]
  at: number
  history: readonly TurnInput[]
  onBusy(isBusy: boolean): void
}

/** A question and, once it has its answer, those after it: each needs the answers before. */
function Turns({ questions, at, history, onBusy }: TurnsProps) {
  const [answer, setAnswer] = useState<{ q: string; text: string } | null>(null)
  const q = questions[at] ?? ''
  const isLast = at === questions.length - 1
  const onAnswer = useCallback((text: string) => setAnswer({ q, text }), [q])
  const isAnswered = answer !== null && answer.q === q
  return (
    <>
      <Turn q={q} history={history} isLast={isLast} onAnswer={onAnswer} onBusy={onBusy} />
      {!isLast &&
        !isAnswered &&
        questions.slice(at + 1).map((next, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a question may be asked twice
          <h2 key={i} className="text-muted">
            <SafeText>{next}</SafeText>
          </h2>
        ))}
      {!isLast && isAnswered && (
        <Turns questions={questions} at={at + 1} history={[...history, { q, answer: answer.text }]} onBusy={onBusy} />
      )}
    </>
  )
}
