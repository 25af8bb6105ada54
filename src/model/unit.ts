/** Units: planes, modalities, locators, metadata, and the entity itself. */

export const planes = ['text', 'visual', 'audio', 'doc_visual'] as const
export type Plane = (typeof planes)[number]

export const modalities = [
  'text',
  'chunk',
  'caption',
  'ocr',
  'asr',
  'image',
  'image_region',
  'doc_page',
  'video_shot',
  'audio_utterance',
  'log_template',
  'detection',
] as const
export type Modality = (typeof modalities)[number]

/** Units that are a picture: their source, or the page or the moment of it that they stand for. */
export const picturedModalities: ReadonlySet<Modality> = new Set<Modality>(['image', 'doc_page', 'video_shot'])

const planeOfModality: Partial<Record<Modality, Plane>> = {
  image: 'visual',
  image_region: 'visual',
  video_shot: 'visual',
  detection: 'visual',
  audio_utterance: 'audio',
  doc_page: 'doc_visual',
}

/** The default plane of a Unit. */
export function defaultPlane(modality: Modality): Plane {
  return planeOfModality[modality] ?? 'text'
}

/** A span inside the source: milliseconds; fractions 0..1 of the page or frame; UTF-16 offsets; 1-based lines. */
export type Locator =
  | { kind: 'time_range'; tStartMs: number; tEndMs: number }
  | { kind: 'bbox'; page?: number; x: number; y: number; w: number; h: number }
  | { kind: 'char_span'; start: number; end: number }
  | { kind: 'line_range'; start: number; end: number }

export type MetadataValue =
  | string
  | number
  | boolean
  | null
  | readonly MetadataValue[]
  | { readonly [key: string]: MetadataValue }
export type Metadata = Readonly<Record<string, MetadataValue>>

/** Who may read a Unit: its owner, members of a group, or everyone in the scope when `groups` contains `*`. */
export interface Acl {
  owner: string
  groups: readonly string[]
}

/**
 * The stored fields of a Unit as its writer sent them; `null` for a field that was not sent. Each field has its own
 * column.
 */
export interface UnitContent {
  modality: Modality
  text: string | null
  /** Ranked with the text, and never quoted: the path of headings above it, joined by ` > `. */
  title: string | null
  /** Of the text, as a BCP 47 tag. It says how words are stemmed. */
  language: string | null
  sourceUri: string | null
  mime: string | null
  locator: Locator | null
  docId: string | null
  externalId: string | null
  metadata: Metadata
}

/** A live Unit as readers see it. `seq` belongs to its latest change; times are epoch milliseconds. */
export interface Unit extends UnitContent {
  unitId: string
  seq: number
  scope: string
  plane: Plane
  acl: Acl
  createdAt: number
  updatedAt: number
}

/** The vectors of a Unit by one model. They share the memory of `values`. */
export function vectorsOf({ values, count = 1 }: { values: Float32Array; count?: number }): Float32Array[] {
  const dims = values.length / count
  return Array.from({ length: count }, (_, i) => values.subarray(i * dims, (i + 1) * dims))
}

/** How far from 1 the length of a unit vector may be when its components are float32. */
const rounding = 1e-6

/**
 * The vector scaled to length 1, computed in f64: components may be as large or as small as f64 holds. One of length 1
 * stays as it is, bit by bit. Null without a direction: every component is 0, or one is not finite.
 */
export function toUnitVector(values: ArrayLike<number>): Float32Array<ArrayBuffer> | null {
  let max = 0
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i] ?? 0)
    if (!(size <= Number.MAX_VALUE)) return null
    if (size > max) max = size
  }
  if (max === 0) return null
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += ((values[i] ?? 0) / max) ** 2
  const length = Math.sqrt(squares)
  const unit = new Float32Array(values)
  if (Math.abs(length * max - 1) <= rounding) return unit
  for (let i = 0; i < unit.length; i++) unit[i] = (values[i] ?? 0) / max / length
  return unit
}

/** Separates the headings of a title, which is a path of headings. */
const separator = ' > '

/** A Unit's title and text, as they are ranked: neither is changed. */
export const titledText = ({ title, text }: { title: string | null; text: string | null }): string =>
  title === null ? (text ?? '') : `${title}\n\n${text ?? ''}`

/**
 * How many of the first words of a text repeat its title, or the last headings of it, in full: a ranking counts these
 * words once. `wordsOf` gives the words in the form that is compared.
 */
export function repeatedWords(
  title: string,
  text: readonly string[],
  wordsOf: (heading: string) => readonly string[],
): number {
  const headings = title.split(separator).map(wordsOf)
  for (let first = 0; first < headings.length; first++) {
    const path = headings.slice(first).flat()
    if (path.length > 0 && path.every((word, i) => text[i] === word)) return path.length
  }
  return 0
}

/** What can name a Unit. `text` may be its beginning alone. */
interface Named {
  unitId: string
  externalId: string | null
  docId: string | null
  title: string | null
  text: string | null
  metadata: Readonly<Record<string, unknown>>
}

const maxTitle = 80

/** One line that names a Unit: its title, else what else names it. */
export function titleOf({ unitId, externalId, docId, title, text, metadata }: Named): string {
  const own = typeof metadata.title === 'string' ? metadata.title : null
  const start = text === null ? null : [...text.slice(0, maxTitle * 2)].slice(0, maxTitle).join('')
  const lines = [title, own, docId, externalId, start].map((one) => oneLine(one ?? ''))
  return lines.find((line) => line !== '') ?? unitId
}

/** The same for a document, by its first Unit: the headings after the first one belong to that Unit alone. */
export const documentTitle = (first: Named): string =>
  titleOf({ ...first, title: first.title === null ? null : mainHeading(first.title) })

/** The first heading of a title: what the whole document is about. */
export const mainHeading = (title: string): string => headingsOf(title)[0] ?? ''

/** The headings of a title, outermost first. */
export const headingsOf = (title: string): string[] => title.split(separator)

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** A principal with its groups. */
interface Person {
  principalId: string
  groups: readonly string[]
}

/** Who reads: a principal, only what a second one may read as well, or a caller without ACL limits. */
export type Reader = (Person & { also?: Person }) | 'unlimited'

/**
 * Which reader applies to which scopes, given by their ids. Groups may count in some scopes only, so a read has one
 * clause per reader. No scope is in two clauses.
 */
export interface ReadClause<ScopeIds = readonly string[]> {
  reader: Reader
  scopeIds: ScopeIds
}

const personal = 'user:'

/** The group that a principal has to itself, in every namespace. No other can be in it, and nothing registers it. */
export const ownGroup = (principalId: string): string => personal + principalId

/** Whether a name is that of a principal's own group. */
export const isPersonal = (group: string): boolean => group.startsWith(personal)

/** The canonical form of an ACL: each group once, in order. */
export const aclOf = (owner: string, groups: readonly string[]): Acl => ({ owner, groups: [...new Set(groups)].sort() })

export const readerKinds = ['everyone', 'group', 'owner', 'person'] as const

/** One of those who may read a Unit. */
export interface ReaderView {
  kind: (typeof readerKinds)[number]
  /** Of a principal, or the name of a group. */
  id: string
}

/** Who may read a Unit, its owner first. */
export const readersOf = ({ owner, groups }: Acl): ReaderView[] => [
  { kind: 'owner', id: owner },
  ...groups
    .filter((group) => group !== ownGroup(owner))
    .map((group): ReaderView => {
      if (isPersonal(group)) return { kind: 'person', id: group.slice(personal.length) }
      return { kind: group === '*' ? 'everyone' : 'group', id: group }
    }),
]

/** The per-Unit rule. Scope permissions are checked elsewhere, in addition. */
export function mayRead(reader: Reader, acl: Acl): boolean {
  if (reader === 'unlimited') return true
  return isOpen(reader, acl) && (reader.also === undefined || isOpen(reader.also, acl))
}

const isOpen = ({ principalId, groups }: Person, acl: Acl): boolean =>
  acl.owner === principalId || acl.groups.some((g) => opens(groups, g))

/** Which of a Unit's groups let a principal read it. */
export const openingGroups = ({ groups }: Exclude<Reader, 'unlimited'>, acl: Acl): string[] =>
  acl.groups.filter((g) => opens(groups, g))

const opens = (groups: readonly string[], group: string) =>
  group === '*' || (groups.length <= 16 ? groups.includes(group) : setOf(groups).has(group))

/** A reader of many groups is compared with many ACLs. */
const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

function setOf(groups: readonly string[]): ReadonlySet<string> {
  const known = sets.get(groups) ?? new Set(groups)
  sets.set(groups, known)
  return known
}
