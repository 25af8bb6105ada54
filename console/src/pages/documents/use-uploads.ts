import { useCallback, useState } from 'react'
import { useSelection } from '../../session/selection.ts'
import type { RunFragment } from './generated/graphql.ts'
import { type UploadTarget, upload } from './upload.ts'

/** A file on its way. */
export interface Sending {
  id: number
  name: string
  /** 0..1 of its bytes. */
  share: number
  error: unknown
  again(): void
}

let lastId = 0

/** Sends files one after another; each becomes a run. */
export function useUploads(onRun: (run: RunFragment) => void) {
  const selection = useSelection()
  const [sending, setSending] = useState<readonly Sending[]>([])

  const send = useCallback(
    async (files: readonly File[], target: UploadTarget) => {
      const one = async (id: number, file: File) => {
        const change = (changes: Partial<Sending>) =>
          setSending((all) => all.map((item) => (item.id === id ? { ...item, ...changes } : item)))
        change({ share: 0, error: null })
        try {
          const run = await upload(file, target, selection, (share) => change({ share }))
          setSending((all) => all.filter((item) => item.id !== id))
          onRun(run)
        } catch (error) {
          change({ error })
        }
      }
      const queue = files.map((file) => {
        lastId += 1
        return { id: lastId, file }
      })
      const items = queue.map(({ id, file }): Sending => {
        return { id, name: file.name, share: 0, error: null, again: () => void one(id, file) }
      })
      setSending((all) => [...all, ...items])
      for (const { id, file } of queue) await one(id, file)
    },
    [selection, onRun],
  )
  const drop = (id: number) => setSending((all) => all.filter((item) => item.id !== id))
  return { sending, send, drop }
}
