import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'

/** Sections with a heading and a paragraph that make a Unit each. */
export function largeMarkdown(sections: number): string {
  const sentence = (i: number, j: number) => `Sentence ${j} of section ${i} says what sentence ${i + j} leaves out. `
  const section = (i: number) => `## Section ${i}\n\n${Array.from({ length: 16 }, (_, j) => sentence(i, j)).join('')}\n`
  return Array.from({ length: sections }, (_, i) => section(i)).join('\n')
}

/** A log of a server, with lines of a few kinds. */
export async function largeLog(path: string, bytes: number): Promise<void> {
  const out = createWriteStream(path)
  let written = 0
  for (let i = 0; written < bytes; i++) {
    const lines = Array.from({ length: 1_000 }, (_, j) => line(i * 1_000 + j)).join('')
    written += lines.length
    if (!out.write(lines)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}

function line(i: number): string {
  const time = new Date(Date.UTC(2026, 0, 1) + i * 37).toISOString()
  const kinds = [
    `INFO request ${i} from 10.0.${i % 256}.${(i * 7) % 256} took ${i % 900} ms`,
    `WARN connection ${i % 4096} to replica ${i % 5} is slow`,
    `ERROR user ${i % 10_000} could not be signed in: token expired`,
    `INFO cache has ${i % 100_000} entries after ${i % 60} s`,
  ]
  return `${time} ${kinds[i % kinds.length]}\n`
}

/** Silence as WAV. */
export async function largeRecording(path: string, bytes: number): Promise<void> {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(bytes - 8, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(2, 22)
  header.writeUInt32LE(44_100, 24)
  header.writeUInt32LE(176_400, 28)
  header.writeUInt16LE(4, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes - 44, 40)
  const file = await open(path, 'w')
  await file.write(header)
  await file.truncate(bytes)
  await file.close()
}
