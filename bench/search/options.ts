import { readArguments } from '../support/arguments.ts'
import { type PeerName, peerNames } from './peers/all.ts'

export interface Options {
  sizes: readonly number[]
  peers: readonly PeerName[]
  selectivities: readonly number[]
  /** The duration of each throughput measurement. */
  seconds: number
  /** How often searches by fields are sent instead of all else; 0 for all else. */
  byFields: number
  /** How often principals in many groups search in turn, instead of all else; 0 for all else. */
  byGroups: number
}

/** Reads the command line. */
export function readOptions(): Options {
  const { values } = readArguments({
    options: {
      sizes: { type: 'string', default: '10k,100k' },
      million: { type: 'boolean', default: false },
      peers: { type: 'string', default: peerNames.join(',') },
      selectivity: { type: 'string', default: '0.02,0.5' },
      seconds: { type: 'string', default: '5' },
      'by-fields': { type: 'string', default: '0' },
      'by-groups': { type: 'string', default: '0' },
    },
  })
  const sizes = list(values.sizes).map(sizeOf)
  return {
    sizes: values.million ? [...sizes, 1_000_000] : sizes,
    peers: values.peers === 'none' ? [] : list(values.peers).map(peerOf),
    selectivities: list(values.selectivity).map((text) => numberIn(text, 0, 1)),
    seconds: numberIn(values.seconds, 0, 3600),
    byFields: Number(values['by-fields']),
    byGroups: Number(values['by-groups']),
  }
}

const list = (text: string): string[] => text.split(',').map((item) => item.trim())

function sizeOf(text: string): number {
  const [, digits, unit = ''] = /^(\d+)(k|m)?$/i.exec(text) ?? []
  if (digits === undefined) throw new Error(`${text}: a size is written like 500, 10k or 1m`)
  return Number(digits) * ({ k: 1000, m: 1_000_000 }[unit.toLowerCase()] ?? 1)
}

function peerOf(text: string): PeerName {
  const name = peerNames.find((known) => known === text)
  if (!name) throw new Error(`${text}: the peers are ${peerNames.join(', ')}, or none`)
  return name
}

function numberIn(text: string, above: number, max: number): number {
  const value = Number(text)
  if (!(value > above && value <= max)) throw new Error(`${text}: must be above ${above} and at most ${max}`)
  return value
}
