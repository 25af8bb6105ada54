import type { Modality, Plane } from '../../../src/model/unit.ts'
import type { Draw } from '../draw.ts'
import { type Namespace, planesOf } from './model.ts'

/** Nested scopes, and names that a wrong prefix or LIKE comparison would match with `acme` or its subtree. */
export const scopePool = ['acme', 'acme/backend', 'acme/backend/api', 'acmeco', 'acm_', 'acme.x', 'zeta', 'zeta/acme']
/** The principal whose home is an empty namespace. */
export const newcomerOf = (namespace: string) => `keeper-${namespace}`
export const groupPool = ['red', 'green', 'blue', '*']
const english = ['harbour', 'ferry', 'pier', 'ticket', 'engine', 'storm', 'crane', 'anchor']
/** Their letters decide the language of a Unit; a closed Unit may be the only one in its language. */
const others = ['пристань', 'кораблями', 'λιμάνι', 'المرفأ']
export const vocabulary = [...english, ...others]

const modalitiesOf: Record<Plane, readonly Modality[]> = {
  text: ['text', 'chunk', 'caption'],
  visual: ['image', 'video_shot'],
  audio: ['audio_utterance'],
  doc_visual: ['doc_page'],
}
export const drawModality = (draw: Draw, plane: Plane): Modality => draw.pick(modalitiesOf[plane])

/** The planes that Units of this scope may have. */
export const planesIn = (namespace: Namespace, scope: string): Plane[] =>
  planesOf(namespace).filter((plane) => namespace.scopes.get(scope)?.planes.includes(plane) !== false)
