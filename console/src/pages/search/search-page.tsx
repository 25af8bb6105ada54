import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { useUrl } from '../../session/url.ts'
import { Side } from './side.tsx'
import { useSearchSide } from './use-search.ts'

/** Search as one types; two searches side by side. */
export function SearchPage() {
  const url = useUrl()
  const isCompared = url.get('compare') === '1'
  const a = useSearchSide('')
  const b = useSearchSide('b.', isCompared)
  // Where B stands below A, it would move when the results of A come.
  const isBelow = a.input !== null && a.result === null && a.error === null
  const compare = () =>
    url.set(
      isCompared
        ? Object.fromEntries([
            ['compare', undefined],
            ...Object.keys(url.search)
              .filter((name) => name.startsWith('b.'))
              .map((name) => [name, undefined]),
          ])
        : { compare: '1', 'b.q': url.get('q') },
    )
  const actions = (
    <Button aria-pressed={isCompared} onClick={compare}>
      Compare
    </Button>
  )
  return (
    <Page title="Search" busy={a.isFetching || (isCompared && b.isFetching)} actions={actions}>
      {isCompared ? (
        <div className="grid gap-6 broad:grid-cols-2">
          <Side side={a} suffix=" A" other={b.result?.hits} />
          <div className={`min-w-0 ${isBelow ? 'hidden broad:block' : ''}`}>
            <Side side={b} suffix=" B" other={a.result?.hits} />
          </div>
        </div>
      ) : (
        <Side side={a} suffix="" />
      )}
    </Page>
  )
}
