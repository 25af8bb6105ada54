import { Button } from '../../components/button.tsx'
import { pageOf } from './params.ts'
import type { SearchSide } from './use-search.ts'

/** To the hits before and after these. */
export function Pages({ side: { params, set, result }, suffix }: { side: SearchSide; suffix: string }) {
  const page = pageOf(params)
  if (page === 1 && result?.trace.more !== true) return null
  const to = (next: number) => set({ page: next === 1 ? undefined : String(next), open: undefined })
  return (
    <nav aria-label={`Pages${suffix}`} className="flex flex-wrap items-center gap-3">
      <Button disabled={page === 1} onClick={() => to(page - 1)}>
        Previous
      </Button>
      <span className="text-muted">Page {page}</span>
      <Button disabled={result?.trace.more !== true} onClick={() => to(page + 1)}>
        Next
      </Button>
    </nav>
  )
}
