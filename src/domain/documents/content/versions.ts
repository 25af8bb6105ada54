import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { type DocumentVersion, type FoundVersion, maxDocIdLength } from '../../../model/document.ts'
import type { Metadata } from '../../../model/unit.ts'
import { metadata as metadataRules } from '../../input/metadata.ts'

/** An id of a document for a name of any length. */
export const docIdFor = (name: string): string =>
  name.length <= maxDocIdLength ? name : `sha256:${createHash('sha256').update(name).digest('hex')}`

/** The caller's metadata with the path, if there is room for it. The caller's own keys win. */
export function withPath(path: string, metadata: Metadata): Metadata {
  return merged({ path }, metadata)
}

/** What the parser knows, below what the caller sent. Left out if together they are too much. */
export function merged(known: Metadata, sent: Metadata): Metadata {
  const both = { ...known, ...sent }
  return metadataRules.safeParse(both).success ? both : sent
}

/** The file and the options of a version that is found. */
export function sentOf({ asGiven, at, ...version }: FoundVersion): DocumentVersion {
  return version
}

/** The same file, read in the same way. */
export const sameFile = (a: DocumentVersion, b: DocumentVersion): boolean =>
  a.sha256 === b.sha256 && a.name === b.name && a.sidecar === b.sidecar

export const sameOptions = (a: DocumentVersion, b: DocumentVersion): boolean =>
  canonicalize([[...a.aclGroups], a.metadata]) === canonicalize([[...b.aclGroups], b.metadata])

/** Keys that parsers give: a value of the caller's may have taken the place of theirs. */
const parserKeys = new Set(['path', 'page', 'sheet', 'rows', 'speaker', 'count', 'first_time', 'last_time', 'example'])

/** Whether the Units' metadata can follow a change of the document's without parsing it again. */
export function followsInPlace(before: Metadata, after: Metadata): boolean {
  const changed = Object.keys(before).filter((key) => canonicalize(before[key]) !== canonicalize(after[key]))
  return !changed.some((key) => parserKeys.has(key))
}
