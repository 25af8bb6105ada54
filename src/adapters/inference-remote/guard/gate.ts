/** Lets in a limited number at once; the others wait in line, urgent ones first. */
export interface Gate {
  /** Resolves to a function that lets the next one in. Rejects with the signal's reason if the signal aborts first. */
  enter(signal: AbortSignal, urgent: boolean): Promise<() => void>
}

export function createGate(max: number): Gate {
  let inside = 0
  const lines = { urgent: new Set<() => void>(), other: new Set<() => void>() }

  const leave = () => {
    inside -= 1
    const line = lines.urgent.size > 0 ? lines.urgent : lines.other
    const [next] = line
    if (!next) return
    line.delete(next)
    next()
  }
  const admit = () => {
    inside += 1
    let left = false
    return () => {
      if (left) return
      left = true
      leave()
    }
  }

  return {
    enter: async (signal, urgent) => {
      signal.throwIfAborted()
      if (inside < max) return admit()
      const line = urgent ? lines.urgent : lines.other
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          line.delete(onTurn)
          reject(signal.reason)
        }
        const onTurn = () => {
          signal.removeEventListener('abort', onAbort)
          resolve(admit())
        }
        line.add(onTurn)
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
  }
}
