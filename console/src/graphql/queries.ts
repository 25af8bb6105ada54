import { QueryClient } from '@tanstack/react-query'
import { onSessionChange } from '../session/credential.ts'

/** What came from the service, in memory alone. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: false } },
})

// Nothing that one caller got is shown to the next.
onSessionChange(() => queries.clear())
