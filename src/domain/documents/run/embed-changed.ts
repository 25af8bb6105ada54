import { createHash } from 'node:crypto'
import type { DocumentRecord } from '../../../model/document.ts'
import type { Plane } from '../../../model/unit.ts'
import type { Inference } from '../../../ports/models/inference.ts'
import type { Bindings, DomainSettings } from '../../bindings/bindings.ts'
import { type EmbeddedUnit, embedUnits } from '../../units/embed-units.ts'
import type { PlacedUnit } from '../../units/place-units.ts'

type Deps = Pick<Bindings, 'catalog' | 'inference' | 'log'> & Pick<DomainSettings, 'inferenceTimeoutMs'>

/** Units embedded at a time. */
const batchSize = 500

/** Gives each Unit its vector. A text that the version before has too keeps the vector that it has there. */
export async function embedChanged(
  deps: Deps,
  document: DocumentRecord,
  units: readonly PlacedUnit[],
): Promise<EmbeddedUnit[]> {
  const inference = document.found ? withKnown(deps, document) : deps.inference
  const embedded: EmbeddedUnit[] = []
  for (let from = 0; from < units.length; from += batchSize) {
    const some = units.slice(from, from + batchSize)
    embedded.push(...(await embedUnits({ ...deps, inference }, document.namespaceId, some)))
  }
  return embedded
}

/** The built-in embedding is as fast as reading a vector. */
function withKnown({ catalog, inference }: Deps, { namespaceId, documentId }: DocumentRecord): Inference {
  const read = new Map<Plane, Promise<Map<string, Float32Array>>>()
  const knownIn = (plane: Plane) => {
    const { name } = inference.model(plane)
    const known = read.get(plane) ?? catalog.documents.vectors(namespaceId, documentId, plane, name)
    read.set(plane, known)
    return known
  }
  return {
    ...inference,
    embed: async (plane, texts, kind, signal) => {
      if (inference.model(plane).builtin) return inference.embed(plane, texts, kind, signal)
      const known = await knownIn(plane)
      const found = texts.map((text) => known.get(createHash('sha256').update(text).digest('hex')))
      const others = texts.filter((_, i) => found[i] === undefined)
      const made = others.length === 0 ? [] : await inference.embed(plane, others, kind, signal)
      const next = made.values()
      return found.map((vector) => vector ?? next.next().value ?? null)
    },
  }
}
