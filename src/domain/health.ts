import { planes } from '../model/unit.ts'
import type { Anchoring } from './audit/anchoring.ts'
import type { Bindings, DomainSettings } from './bindings/bindings.ts'

export interface Health {
  status: 'ok' | 'degraded'
  service: string
  version: string
  /** ISO 8601. */
  time: string
  bindings: {
    catalog: string
    vectorIndex: string[]
    objectStore: string
    keyValue: string
    inference: boolean
  }
  /** The engine that stores checkpoints of audit logs, with ` (behind)` while it lacks some. */
  auditAnchor: string
}

/** How long a binding may take to respond before it counts as down. */
const timeoutMs = 2000
const stepMs = 100

/** Never throws: its purpose is to report which binding is down. */
export async function health(
  deps: Bindings & DomainSettings & { anchoring: Pick<Anchoring, 'isBehind'> },
): Promise<Health> {
  const { catalog, vectors, texts, objects, keyValue, inference, anchor, anchoring, clock, version } = deps
  const [catalogUp, vectorsUp, textsUp, objectsUp, keyValueUp, inferenceUp] = await Promise.all(
    [catalog, vectors, texts, objects, keyValue, inference].map(isUp),
  )
  const all = catalogUp && vectorsUp && textsUp && objectsUp && keyValueUp && inferenceUp
  const isBehind = anchoring.isBehind()
  const name = (engine: string, up: boolean | undefined) => (up ? engine : `${engine} (down)`)
  return {
    status: all && !isBehind ? 'ok' : 'degraded',
    service: 'multimodal-retrieval',
    version,
    time: new Date(clock.now()).toISOString(),
    bindings: {
      catalog: name(catalog.engine, catalogUp),
      vectorIndex: planes.map((plane) => name(vectors.nameOf(plane), vectorsUp)),
      objectStore: name(objects.engine, objectsUp),
      keyValue: name(keyValue.engine, keyValueUp),
      inference: inferenceUp ?? false,
    },
    auditAnchor: isBehind ? `${anchor.engine} (behind)` : anchor.engine,
  }
}

async function isUp(binding: { ping(): Promise<void> }): Promise<boolean> {
  const answered = binding.ping().then(
    () => true,
    () => false,
  )
  // In steps: if this process was busy, a response may have arrived and not been read yet.
  for (let waited = 0; waited < timeoutMs; waited += stepMs) {
    const up = await Promise.race([answered, step()])
    if (up !== undefined) return up
  }
  return false
}

const step = () =>
  new Promise<undefined>((resolve) => {
    setTimeout(() => resolve(undefined), stepMs).unref()
  })
