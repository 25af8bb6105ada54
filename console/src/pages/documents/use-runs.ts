import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useGraphql } from '../../graphql/hooks.ts'
import { subscribe } from '../../graphql/subscribe.ts'
import { useSelection } from '../../session/selection.ts'
import { DocumentChangesDocument, type DocumentStatus, type RunFragment, RunsOfDocument } from './generated/graphql.ts'

/** How often the lists are asked for, and how long after its end a connection is opened again. */
const againMs = 10_000

const isUnderWay = ({ status }: RunFragment) => status === 'queued' || status === 'running'

/** Documents that are being taken in or have failed, and those that became ready while the page was open. */
export function useRuns(scope: string | undefined) {
  const { namespace } = useSelection()
  const client = useQueryClient()
  const [changed, setChanged] = useState<ReadonlyMap<string, RunFragment>>(new Map())
  // Answers come in any order: that to an upload may come after the event that says how it ended.
  const add = useCallback(
    (run: RunFragment) =>
      setChanged((all) =>
        run.updatedAt < (all.get(run.documentId)?.updatedAt ?? 0) ? all : new Map(all).set(run.documentId, run),
      ),
    [],
  )

  const queued = useRunsOf('queued', scope)
  const running = useRunsOf('running', scope)
  const failed = useRunsOf('failed', scope)
  const runs = useMemo(() => {
    const all = new Map([...failed.runs, ...queued.runs, ...running.runs].map((run) => [run.documentId, run]))
    for (const [id, run] of changed) if (run.updatedAt >= (all.get(id)?.updatedAt ?? 0)) all.set(id, run)
    return [...all.values()].toSorted((a, b) => b.updatedAt - a.updatedAt)
  }, [failed.runs, queued.runs, running.runs, changed])

  const watched = runs
    .filter(isUnderWay)
    .map(({ documentId }) => documentId)
    .toSorted()
    .slice(0, 1_000)
    .join(' ')
  useEffect(() => {
    if (watched === '') return
    const abort = new AbortController()
    const follow = async () => {
      const variables = { documentIds: watched.split(' ') }
      for await (const { documentChanges } of subscribe(DocumentChangesDocument, variables, {
        // Files may go to other scopes than that of the page.
        selection: { namespace, scope: '*' },
        signal: abort.signal,
      })) {
        add(documentChanges)
        if (documentChanges.status === 'ready') void client.invalidateQueries()
      }
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    // The lists do not tell that a document became ready: a broken connection may only delay that.
    const keepFollowing = async () => {
      await follow().catch(() => undefined)
      if (!abort.signal.aborted) timer = setTimeout(keepFollowing, againMs)
    }
    void keepFollowing()
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [watched, namespace, add, client])

  const refetch = () => Promise.all([failed.refetch(), queued.refetch(), running.refetch()])
  const isLoading = failed.isLoading || queued.isLoading || running.isLoading
  return { runs, add, isLoading, error: failed.error ?? queued.error ?? running.error, refetch }
}

const none: readonly RunFragment[] = []

function useRunsOf(status: DocumentStatus, scope: string | undefined) {
  const { data, error, isLoading, refetch } = useGraphql(
    RunsOfDocument,
    { status, scope: scope ?? null },
    { refetchInterval: againMs },
  )
  return { runs: data?.documents?.documents ?? none, isLoading, error, refetch }
}
