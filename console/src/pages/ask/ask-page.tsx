import { CopyAs } from '../../components/copy-as.tsx'
import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { shareText } from '../../components/words.ts'
import { useUrl } from '../../session/url.ts'
import { Abstention } from './abstention.tsx'
import { AskDocument, type AskedFragment } from './generated/graphql.ts'
import { QuestionForm } from './question-form.tsx'
import { Sentences } from './sentences.tsx'
import { Sources } from './sources.tsx'
import { Steps } from './steps.tsx'
import { useAnswer } from './use-answer.ts'

/** An answer from what one may read, sentence by sentence with its sources. */
export function AskPage() {
  const { get, set } = useUrl()
  const q = get('q') ?? ''
  const { data, soFar, error, isFetching, isPlaceholderData, refetch } = useAnswer(q)
  const isBeingWritten = isFetching && soFar.length > 0
  const result = q === '' || isBeingWritten ? null : (data ?? null)
  const answer = result?.answer
  const trace = result?.trace.answer
  const removed = trace?.removed ?? 0
  const variables = { input: { q } }
  const asRest = { path: '/v1/answer', body: { q, answer: true } }
  return (
    <Page
      title="Ask"
      busy={isFetching}
      actions={q !== '' && <CopyAs document={AskDocument} variables={variables} curl={asRest} />}
    >
      <QuestionForm question={q} busy={isFetching} onAsk={(next) => (next === q ? refetch() : set({ q: next }))} />
      {q === '' && (
        <Empty action={<PageLink to="/documents">See what is in</PageLink>}>
          Type a question above and press Enter. The answer comes from what you may read, with its sources.
        </Empty>
      )}
      {error && <Problem error={error} onRetry={refetch} />}
      {q !== '' && isFetching && !result && !isBeingWritten && <Skeleton rows={4} height={60} />}
      {(answer || isBeingWritten) && (
        <div
          className={`flex flex-col gap-4 ${isPlaceholderData && !isBeingWritten ? 'stale' : ''}`}
          aria-live="polite"
        >
          {/* One list from the first sentence to the last: nothing is read out twice. */}
          {!answer?.abstained && <Sentences sentences={answer?.sentences ?? soFar} />}
          {answer && !answer.abstained && <Measures {...answer} />}
          {answer && !answer.abstained && <Sources citations={answer.citations} hits={result.hits} />}
          {result?.answer?.abstained && <Abstention {...result} question={q} />}
          {removed > 0 && (
            <p className="text-muted">
              {removed === 1 ? '1 sentence was' : `${removed} sentences were`} removed: no source supports{' '}
              {removed === 1 ? 'it' : 'them'}.
            </p>
          )}
          {result && result.trace.degraded.length > 0 && (
            <p className="text-warn">Not everything answered: {result.trace.degraded.join(', ')}.</p>
          )}
          {trace && trace.steps.length > 0 && <Steps {...trace} />}
        </div>
      )}
    </Page>
  )
}

/** How far the whole answer is to be trusted. */
function Measures({ confidence, nliFaithfulness, model }: NonNullable<AskedFragment['answer']>) {
  return (
    <p className="flex flex-wrap gap-x-4 text-muted">
      {confidence != null && <span>Confidence {shareText(confidence)}</span>}
      {nliFaithfulness != null && <span>Faithfulness in all {shareText(nliFaithfulness)}</span>}
      <span>
        Written by <SafeText>{model}</SafeText>
      </span>
    </p>
  )
}
