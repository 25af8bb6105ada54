/** Lets in one at a time; the others wait in line, urgent ones first. */
export interface Turns {
  /** Resolves to a function that lets the next one in. Rejects with the signal's reason if the signal aborts first. */
  enter(urgent: boolean, signal: AbortSignal | undefined): Promise<() => void>
}

export function createTurns(): Turns {
  let busy = false
  const lines = { urgent: new Set<() => void>(), other: new Set<() => void>() }

  const leave = () => {
    const line = lines.urgent.size > 0 ? lines.urgent : lines.other
    const [next] = line
    busy = next !== undefined
    if (next === undefined) return
    line.delete(next)
    next()
  }

  return {
    enter: async (urgent, signal) => {
      signal?.throwIfAborted()
      if (!busy) {
        busy = true
        return leave
      }
      const line = urgent ? lines.urgent : lines.other
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          line.delete(onTurn)
          reject(signal?.reason)
        }
        const onTurn = () => {
          signal?.removeEventListener('abort', onAbort)
          resolve(leave)
        }
        line.add(onTurn)
        signal?.addEventListener('abort', onAbort, { once: true })
      })
    },
  }
}
