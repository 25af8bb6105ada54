import type { Namespace } from '../../model/registry.ts'

/** Who made a link, and with which key: null for a console session and the super-admin. */
interface MadeBy {
  principalId: string
  keyHash: string | null
}

/** A link that takes the bytes of a source, as it is stored: without its secret. */
export interface UploadRow extends MadeBy {
  /** SHA-256 of the secret, hex. */
  hash: string
  bytes: number
  /** Hex; null if the uploader did not say it. */
  sha256: string | null
  mime: string | null
  name: string | null
  /** Epoch milliseconds. */
  expiresAt: number
}

export type Rendition = 'original' | 'text'

/** A link to the source of a Unit, as it is stored. */
export interface SourceLinkRow extends MadeBy {
  hash: string
  unitId: string
  sourceId: string
  rendition: Rendition
  /** Of the rendition. */
  bytes: number
  sha256: string
  expiresAt: number
}

/** An upload that has ended, and what it left. */
export interface EndedUpload {
  hash: string
  namespaceId: string
  /** Ids under which bytes may be stored that are not a source. */
  leftovers: string[]
}

export interface SourceLinks {
  /** Null for an unknown link, and for one that has taken its bytes. */
  upload(hash: string): Promise<(UploadRow & { namespace: Namespace }) | null>
  /** Notes the id of the source that is begun. False for a link that has taken its bytes in the meantime. */
  beginUpload(hash: string, sourceId: string): Promise<boolean>
  /** Uploads that expired by then. */
  endedUploads(expiredBy: number, limit: number): Promise<EndedUpload[]>
  removeUploads(hashes: readonly string[]): Promise<void>
  /** Null for an unknown link. `used` tells whether it was used before. */
  sourceLink(hash: string): Promise<(SourceLinkRow & { namespace: Namespace; used: boolean }) | null>
  /** Removes links that expired by `now`; returns their number. */
  removeExpired(now: number): Promise<number>
}

/** Writes of links and sources, in a transaction of their namespace. */
export interface SourceWriter {
  insert(source: SourceRow): Promise<void>
  insertUpload(upload: UploadRow): Promise<void>
  /** The link has taken its bytes. False, and nothing is written, for one that has taken others in the meantime. */
  endUpload(hash: string, sourceId: string): Promise<boolean>
  insertLink(link: SourceLinkRow): Promise<void>
  /** True for the first use of a link. */
  useLink(hash: string, now: number): Promise<boolean>
  /** Those of these URIs that are sources which this principal uploaded; with a key, only those uploaded with it. */
  uploadedBy(principalId: string, keyHash: string | null, uris: readonly string[]): Promise<string[]>
  /** Requests the purge of those of these sources that nothing names; returns their number. */
  purgeUnnamed(sourceIds: readonly string[], now: number): Promise<number>
}

/** What the bytes are. */
export interface ContentType {
  type: string
  /** IANA name of a text's encoding; null for what is not text. */
  charset: string | null
}

export interface SourceRow {
  id: string
  /** The reference that Units use. */
  uri: string
  /** What the uploader said. */
  mime: string
  bytes: number
  sha256: string
  createdBy: string
  createdAt: number
  name: string | null
  /** Null where nobody has looked yet. */
  content: ContentType | null
  /** The hash of the key that uploaded it. */
  uploadedWith: string | null
  /** It came by an upload link. */
  byLink: boolean
}

export interface StoredSource extends Pick<SourceRow, 'id' | 'uri' | 'bytes' | 'sha256' | 'name'> {
  /** Null for a source that was stored before the content was looked at. */
  content: ContentType | null
}

export interface SourceReader {
  /** The source that a live Unit opens: one that the Unit's writer uploaded, and named in the Unit. */
  ofUnit(namespaceId: string, unitId: string): Promise<StoredSource | null>
  setContent(namespaceId: string, id: string, content: ContentType): Promise<void>
  /**
   * Looks at sources that nothing names, from a place on (null: the beginning), and notes since when. Returns those
   * that have been so since `since`, all of deleted namespaces, and the next place: null at the end.
   */
  unnamed(
    after: SourcePlace | null,
    limit: number,
    times: { now: number; since: number },
  ): Promise<{ due: SourcePlace[]; next: SourcePlace | null }>
  /** Sources whose bytes must still be removed. */
  awaitingPurge(limit: number): Promise<SourcePlace[]>
  markPurged(namespaceId: string, id: string, now: number): Promise<void>
}

export interface SourcePlace {
  namespaceId: string
  id: string
}
