import { useCallback, useRef, useState } from 'react'
import type { RunFragment } from './generated/graphql.ts'
import { type NamedFile, type UploadTarget, upload } from './upload.ts'

/** A file on its way. */
export interface Sending extends NamedFile {
  id: number
  stage: 'waiting' | 'sending' | 'failed'
  /** Bytes that have left. */
  sent: number
  /** Seconds that the rest takes at the speed so far; null while that is not known. */
  left: number | null
  error: unknown
}

let lastId = 0

/** A queue that sends files one after another; each becomes a run. */
export function useUploads(onRun: (run: RunFragment) => void) {
  const [sending, setSending] = useState<readonly Sending[]>([])
  const last = useRef(Promise.resolve())
  const stops = useRef(new Map<number, AbortController>())

  const send = useCallback(
    (files: readonly NamedFile[], target: UploadTarget) => {
      const items = files.map((one): Sending => {
        lastId += 1
        stops.current.set(lastId, new AbortController())
        return { ...one, id: lastId, stage: 'waiting', sent: 0, left: null, error: null }
      })
      const one = async (item: Sending) => {
        const { id, file } = item
        const signal = stops.current.get(id)?.signal
        if (signal === undefined) return
        const change = (changes: Partial<Sending>) =>
          setSending((all) => all.map((before) => (before.id === id ? { ...before, ...changes } : before)))
        change({ stage: 'sending' })
        const begun = performance.now()
        const progress = (sent: number) => {
          const seconds = (performance.now() - begun) / 1_000
          change({ sent, left: sent === 0 ? null : ((file.size - sent) / sent) * seconds })
        }
        try {
          const run = await upload(item, target, progress, signal)
          setSending((all) => all.filter((before) => before.id !== id))
          onRun(run)
        } catch (error) {
          change({ stage: 'failed', error })
        }
      }
      setSending((all) => [...all, ...items])
      for (const item of items) last.current = last.current.then(() => one(item))
    },
    [onRun],
  )
  /** Stops one that is under way, and forgets it. */
  const drop = useCallback((ids: readonly number[]) => {
    for (const id of ids) {
      stops.current.get(id)?.abort()
      stops.current.delete(id)
    }
    setSending((all) => all.filter((item) => !ids.includes(item.id)))
  }, [])
  return { sending, send, drop }
}
