import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { request } from '../../graphql/transport.ts'
import { useSelection } from '../../session/selection.ts'
import { EvaluateDocument, type EvaluationRunFragment } from './generated/graphql.ts'

/** Of a run, by query and metric. */
export type RunScores = ReadonlyMap<string, ReadonlyMap<string, number>>

/** Runs golden queries in short calls until the run has its report, is stopped, or fails. */
export function useRunner() {
  const selection = useSelection()
  const client = useQueryClient()
  const [run, setRun] = useState<EvaluationRunFragment | null>(null)
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const [finished, setFinished] = useState<readonly RunScores[]>([])
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
      const scores = new Map<string, ReadonlyMap<string, number>>()
      while (!isStopped.current) {
        const { evaluate } = await request(EvaluateDocument, { run: next ?? null }, { selection })
        if (!evaluate) break
        setRun(evaluate.run)
        for (const { goldenQueryId, values } of evaluate.scores)
          scores.set(goldenQueryId, new Map(values.map(({ metric, value }) => [metric, value])))
        if (evaluate.run.report) {
          setFinished((all) => [...all, scores])
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
  return { run, finished, isRunning, error, stop, start: (id: string | undefined) => void start(id) }
}
