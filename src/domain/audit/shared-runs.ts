import type { Namespace } from '../../model/registry.ts'

interface Run<T> {
  started: boolean
  result: Promise<T>
}

/**
 * Runs of one namespace are sequential, those of different namespaces are concurrent. A caller shares the next run to
 * start, so that no result is older than its request.
 */
export function shareRuns<T>(work: (namespace: Namespace) => Promise<T>): (namespace: Namespace) => Promise<T> {
  const runs = new Map<string, Run<T>>()

  const begin = (namespace: Namespace): Run<T> => {
    const before = runs.get(namespace.id)?.result
    const run: Run<T> = {
      started: false,
      result: Promise.resolve(before?.catch(() => undefined)).then(() => {
        run.started = true
        return work(namespace)
      }),
    }
    runs.set(namespace.id, run)
    const forget = () => {
      if (runs.get(namespace.id) === run) runs.delete(namespace.id)
    }
    run.result.then(forget, forget)
    return run
  }

  return (namespace) => {
    const last = runs.get(namespace.id)
    return (last && !last.started ? last : begin(namespace)).result
  }
}
