import { readConfig } from '../../../src/config.ts'

export const { inference } = readConfig({ INFERENCE_TIMEOUT_MS: '60000' })
export const minilm = 'minilm-l6-v2@384/ort'

export const texts = [
  'The keeper lights the lamp in the tower every evening.',
  'Two physicians examined the injured sailor before the surgery.',
  'The quarterly accounts show that income fell by a fifth.',
  'Heavy rain flooded the road between the two villages.',
]
/** Each shares no content word with the text at its place. */
export const paraphrases = [
  'who turns on the beacon at dusk',
  'doctors looked at a sick man ahead of an operation',
  'company earnings declined',
  'storm made the street impassable',
]
