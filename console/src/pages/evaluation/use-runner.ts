import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { request } from '../../graphql/transport.ts'
import { useSelection } from '../../session/selection.ts'
import { EvaluateDocument, type EvaluationRunFragment } from './generated/graphql.ts'

/** Runs golden queries in short calls until the run has its report, is stopped, or fails. */
export function useRunner() {
  const selection = useSelection()
  const client = useQueryClient()
  const [run, setRun] = useState<EvaluationRunFragment | null>(null)
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<Error | null>(null)
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
      while (!isStopped.current) {
        const { evaluate } = await request(EvaluateDocument, { run: next ?? null }, { selection })
        if (!evaluate) break
        setRun(evaluate.run)
        if (evaluate.run.report) break
        next = evaluate.run.id
      }
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
    setRunning(false)
    await client.invalidateQueries()
  }
  return { run, isRunning, error, stop, start: (id: string | undefined) => void start(id) }
}
