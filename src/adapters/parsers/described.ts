import type { Metadata } from '../../model/unit.ts'
import type { FileToParse } from '../../ports/parser.ts'

/** How a picture or a recording is found: by what is written about it. */
export interface Description {
  text: string | null
  title: string | null
  metadata: Metadata
}

const maxText = 100_000
const maxTitle = 1_024

/** The words of the file's name, what the file says about itself, and what its sidecar says, a line each. */
export function described({ name, sidecar }: FileToParse, own: readonly string[]): Description {
  const beside = readSidecar(sidecar)
  const lines = [nameWords(name), ...own, beside.text ?? ''].map((line) => line.replaceAll('\0', '').trim())
  const text = [...new Set(lines)].filter((line) => line !== '').join('\n')
  return { ...beside, text: text === '' ? null : text.slice(0, maxText) }
}

/** `trips/IMG_2034-sunsetAt beach.jpg`: IMG 2034 sunset At beach. */
function nameWords(name: string): string {
  const base = name.replace(/^.*[/\\#]/, '').replace(/\.[^.]+$/, '')
  return base
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[^\p{L}\p{N}\p{M}']+/gu, ' ')
    .trim()
}

/** JSON of `{text, title, metadata}`, or a text. */
function readSidecar(sidecar: string | null): Description {
  const none = { text: sidecar, title: null, metadata: {} }
  if (sidecar === null || !sidecar.trimStart().startsWith('{')) return none
  const value = parsed(sidecar)
  if (value === null) return none
  return {
    text: typeof value.text === 'string' ? value.text : null,
    title: typeof value.title === 'string' && value.title !== '' ? value.title.slice(0, maxTitle) : null,
    metadata: metadataOf(value.metadata),
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}

/** Values that a Unit may have; others are left out. */
function metadataOf(value: unknown): Metadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter(
      ([, each]) =>
        typeof each === 'string' ||
        typeof each === 'boolean' ||
        (typeof each === 'number' && Math.abs(each) <= Number.MAX_SAFE_INTEGER) ||
        (Array.isArray(each) && each.every((item) => typeof item === 'string')),
    ),
  ) as Metadata
}
