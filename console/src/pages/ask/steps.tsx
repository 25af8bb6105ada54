import { SafeText } from '../../components/safe-text.tsx'
import { durationText } from '../../components/words.ts'
import type { AskedFragment } from './generated/graphql.ts'

type Trace = NonNullable<AskedFragment['trace']['answer']>

/** The searches behind an answer, or behind there being none. */
export function Steps({ steps, tookMs }: Trace) {
  return (
    <section className="flex flex-col gap-2">
      <h3>Steps</h3>
      <div tabIndex={0} className="overflow-x-auto rounded-surface border border-line bg-surface">
        <table aria-label="Steps" className="w-full text-table">
          <thead>
            <tr className="text-left text-muted">
              <th scope="col" className="px-3 py-2">
                Searched for
              </th>
              {['Hits', 'Kept', 'Took'].map((title) => (
                <th key={title} scope="col" className="px-3 py-2 text-right whitespace-nowrap">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.map(({ query, hits, kept, tookMs: took }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a query may be searched twice
              <tr key={index} className="border-t border-line">
                <th scope="row" className="px-3 py-2 text-left font-normal">
                  <SafeText>{query}</SafeText>
                </th>
                <td className="px-3 text-right">{hits}</td>
                <td className="px-3 text-right">{kept}</td>
                <td className="px-3 text-right whitespace-nowrap">{durationText(took)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="text-small text-muted">
        Hits: what a search found. Kept: what of it no earlier search had found, and the answer may rest on. Writing and
        checking took {durationText(tookMs)}.
      </p>
    </section>
  )
}
