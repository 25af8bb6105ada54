import { readFile } from 'node:fs/promises'

/** The files behind some of the Units, so that their places can be opened. Our own, and small. */
export const seedFiles = {
  '2025-10-09-minutes.md': 'text/markdown',
  'announcement.de.wav': 'audio/wav',
  'announcement.fr.vtt': 'text/vtt',
  'dunlin-pack-b-thermal.png': 'image/png',
  'telemetry-gateway.log': 'text/plain',
  'winter-2025.pdf': 'application/pdf',
} as const

export type SeedFile = keyof typeof seedFiles

export const readSeedFile = (name: SeedFile): Promise<Buffer> => readFile(new URL(`files/${name}`, import.meta.url))
