import { planes } from '../model/unit.ts'
import type { Bindings, DomainSettings } from './deps.ts'

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
}

/** How long a binding may take to answer before it counts as down. */
const patienceMs = 2000

/** Never throws: it is there to tell which binding is down. */
export async function health(deps: Bindings & DomainSettings): Promise<Health> {
  const { catalog, vectors, texts, objects, keyValue, inference, clock, version } = deps
  const [catalogUp, vectorsUp, textsUp, objectsUp, keyValueUp, inferenceUp] = await Promise.all(
    [catalog, vectors, texts, objects, keyValue, inference].map(isUp),
  )
  const all = catalogUp && vectorsUp && textsUp && objectsUp && keyValueUp && inferenceUp
  const name = (engine: string, up: boolean | undefined) => (up ? engine : `${engine} (down)`)
  return {
    status: all ? 'ok' : 'degraded',
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
  }
}

async function isUp(binding: { ping(): Promise<void> }): Promise<boolean> {
  const late = new Promise<never>((_, reject) => setTimeout(reject, patienceMs).unref())
  return Promise.race([binding.ping(), late]).then(
    () => true,
    () => false,
  )
}
