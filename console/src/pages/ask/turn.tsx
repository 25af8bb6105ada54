import { type ReactNode, useEffect, useId, useRef } from 'react'
import { CopyAs } from '../../components/copy-as.tsx'
import { Degraded } from '../../components/degraded.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { shareText } from '../../components/words.ts'
import { Abstention } from './abstention.tsx'
import { CopyWithCitations } from './copy-with-citations.tsx'
import { AskDocument, type AskedFragment } from './generated/graphql.ts'
import { Judge } from './judge.tsx'
import { Sentences } from './sentences.tsx'
import { Sources } from './sources.tsx'
import { Steps } from './steps.tsx'
import { type Asked, inputOf, useAnswer } from './use-answer.ts'

export interface TurnProps extends Asked {
  /** No question follows. */
  isLast: boolean
  onAnswer(text: string): void
  onBusy(isBusy: boolean): void
}

/** A question with its answer, sentence by sentence with its sources. */
export function Turn({ q, history, isLast, onAnswer, onBusy }: TurnProps) {
  const id = useId()
  const { data, soFar, error, isFetching, isPlaceholderData, refetch } = useAnswer({ q, history })
  const isBeingWritten = isFetching && soFar.length > 0
  const result = isBeingWritten ? null : (data ?? null)
  const answer = result?.answer
  const isThere = answer !== undefined && answer !== null && !isFetching && !isPlaceholderData
  const text = answer?.sentences.map((sentence) => sentence.text).join(' ') ?? ''
  useEffect(() => {
    if (isThere) onAnswer(text)
  }, [isThere, text, onAnswer])
  useEffect(() => {
    // The one that is waited for says so.
    if (!isThere) onBusy(isFetching)
    else if (isLast) onBusy(false)
  }, [isThere, isFetching, isLast, onBusy])
  const article = useRef<HTMLElement>(null)
  const isAsked = isLast && history.length > 0 && isFetching
  useEffect(() => {
    if (isAsked) article.current?.scrollIntoView({ block: 'nearest' })
  }, [isAsked])
  const trace = result?.trace.answer
  const input = inputOf({ q, history })
  return (
    <article ref={article} aria-labelledby={id} className="flex scroll-my-20 flex-col gap-3">
      <h2 id={id}>
        <SafeText>{q}</SafeText>
      </h2>
      {error && <Problem error={error} onRetry={refetch} />}
      {isFetching && !result && !isBeingWritten && <Skeleton rows={4} height={60} />}
      {(answer || isBeingWritten) && (
        <div
          className={`flex flex-col gap-4 ${isPlaceholderData && !isBeingWritten ? 'stale' : ''}`}
          aria-live="polite"
        >
          {/* One list from the first sentence to the last: nothing is read out twice. */}
          {!answer?.abstained && <Sentences sentences={answer?.sentences ?? soFar} />}
          {result?.answer?.abstained && <Abstention {...result} question={q} />}
          {answer && (
            <div className="flex flex-wrap items-start gap-2">
              {!answer.abstained && <CopyWithCitations question={q} answer={answer} hits={result.hits} />}
              {isLast && (
                <CopyAs
                  document={AskDocument}
                  variables={{ input }}
                  curl={{ path: '/v1/answer', body: { ...input, answer: true } }}
                />
              )}
              <Judge question={trace?.steps[0]?.query ?? q} answer={answer} />
            </div>
          )}
          {result && answer && (
            <Folded isFolded={!isLast}>
              {!answer.abstained && <Measures {...answer} />}
              {!answer.abstained && <Sources citations={answer.citations} hits={result.hits} />}
              {trace && trace.removed > 0 && (
                <p className="text-muted">
                  {trace.removed === 1 ? '1 sentence was' : `${trace.removed} sentences were`} removed: no source
                  supports {trace.removed === 1 ? 'it' : 'them'}.
                </p>
              )}
              <Degraded parts={result.trace.degraded} />
              {trace && trace.steps.length > 0 && <Steps {...trace} />}
            </Folded>
          )}
        </div>
      )}
    </article>
  )
}

/** How an earlier answer came about is there for whoever wants it. */
function Folded({ isFolded, children }: { isFolded: boolean; children: ReactNode }) {
  if (!isFolded) return children
  return (
    <details>
      <summary className="w-fit text-small text-muted">Sources and steps</summary>
      <div className="mt-3 flex flex-col gap-4">{children}</div>
    </details>
  )
}

/** How far the whole answer is to be trusted. */
function Measures({ confidence, nliFaithfulness, model }: NonNullable<AskedFragment['answer']>) {
  return (
    <p className="flex flex-wrap gap-x-4 text-muted">
      {confidence != null && <span>Confidence {shareText(confidence)}</span>}
      {nliFaithfulness != null && <span>Faithfulness in all {shareText(nliFaithfulness)}</span>}
      <span>
        {model === 'extractive' ? (
          <span title={model}>Quoted word for word</span>
        ) : (
          <>
            Written by <SafeText>{model}</SafeText>
          </>
        )}
      </span>
    </p>
  )
}
