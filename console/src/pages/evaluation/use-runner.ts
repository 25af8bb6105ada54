import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { request } from '../../graphql/transport.ts'
import { useSelection } from '../../session/selection.ts'
import { useSession } from '../../session/session.tsx'
import { EvaluateDocument, type EvaluationRunFragment } from './generated/graphql.ts'

/** Of a run, by query and metric. */
export type RunScores = Readonly<Record<string, Readonly<Record<string, number>>>>

/** The last two runs that this browser finished. Others have other access: their scores cannot be compared. */
const keptAt = (namespace: string, principalId: string) => `console.scores ${namespace} ${principalId}`
const keptRuns = (key: string) => JSON.parse(localStorage.getItem(key) ?? '[]') as readonly RunScores[]

/** Runs golden queries in short calls until the run has its report, is stopped, or fails. */
export function useRunner() {
  const selection = useSelection()
  const client = useQueryClient()
  const [run, setRun] = useState<EvaluationRunFragment | null>(null)
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const { namespace, context } = useSession()
  const key = keptAt(namespace, context?.principal.principalId ?? '')
  const isStopped = useRef(false)

  const stop = () => {
    isStopped.current = true
  }
  useEffect(
    () => () => {
      isStopped.current = true
    },
    [],
  )

  const start = async (id: string | undefined) => {
    isStopped.current = false
    setRunning(true)
    setError(null)
    try {
      let next = id
      const scores: Record<string, Record<string, number>> = {}
      while (!isStopped.current) {
        const { evaluate } = await request(EvaluateDocument, { run: next ?? null }, { selection })
        if (!evaluate) break
        setRun(evaluate.run)
        for (const { goldenQueryId, values } of evaluate.scores)
          scores[goldenQueryId] = Object.fromEntries(values.map(({ metric, value }) => [metric, value]))
        if (evaluate.run.report) {
          localStorage.setItem(key, JSON.stringify([...keptRuns(key), scores].slice(-2)))
          break
        }
        next = evaluate.run.id
      }
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
    setRunning(false)
    await client.invalidateQueries()
  }
  return { run, finished: keptRuns(key), isRunning, error, stop, start: (id: string | undefined) => void start(id) }
}
