import { createHash } from 'node:crypto'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { type AnchoredCheckpoint, anchorName, formatAnchored, parseAnchored } from '../../model/checkpoint.ts'
import { noTelemetry } from '../../model/telemetry.ts'
import type { AuditAnchor } from '../../ports/stores/audit-anchor.ts'
import { attempts, createS3, type S3, type S3Settings, type S3Timeouts, statusOf } from './client.ts'

export interface S3AnchorConfig extends S3Settings {
  bucket: string
  /** Without leading and trailing slashes; may be empty. */
  prefix: string
}

const timeouts: S3Timeouts = { connect: 3000, idle: 5000, call: 15_000 }

/** Objects that are fetched concurrently. */
const fetches = 8

/** How many names are requested when the first is wanted: names of other clients may come before it. */
const few = 10

/** The namespace's folder in the bucket. */
interface Folder {
  namespaceId: string
  prefix: string
}

/**
 * One object per checkpoint below `s3://<bucket>/<prefix>`, a line of JSON `{namespace_id, size, time, note}` under
 * `<prefix>/<namespace id>/<2^53 - 1 - size, 16 digits>-<start of the note's SHA-256>.json`. S3 lists names only in
 * ascending order, so with inverted sizes the newest checkpoint of a namespace is listed first. An existing object is
 * never written again (If-None-Match; a store without it is queried first), and another note of the same size has
 * another name.
 */
export function createS3Anchor(
  { bucket, prefix, ...settings }: S3AnchorConfig,
  { waits = timeouts, telemetry = noTelemetry } = {},
): AuditAnchor {
  const store = createAnchorStore(bucket, createS3(settings, waits, telemetry))
  const root = prefix === '' ? '' : `${prefix}/`
  const folderOf = (namespaceId: string): Folder => ({ namespaceId, prefix: `${root}${anchorName(namespaceId)}/` })
  return {
    engine: 's3',

    async append(checkpoint) {
      const folder = folderOf(checkpoint.namespaceId)
      await store.putNew(keyOf(folder, checkpoint), `${formatAnchored(checkpoint)}\n`)
    },

    async *newest() {
      let token: string | undefined
      do {
        const page = await store.list({ prefix: root, delimiter: '/', token })
        for (const groups of inGroups(page.groups, fetches)) {
          const found = await Promise.all(
            groups.map((group) => firstOf(store, { prefix: group, namespaceId: group.slice(root.length, -1) })),
          )
          yield* found.flat()
        }
        token = page.token
      } while (token !== undefined)
    },

    async *of(namespaceId) {
      const folder = folderOf(namespaceId)
      const { prefix } = folder
      for (const [after, upTo] of (await stretchesOf(store, prefix)).reverse()) {
        const keys = await keysBetween(store, prefix, after, upTo)
        for (const some of inGroups(keys.reverse(), fetches)) yield* await fetchAll(store, folder, some)
      }
    },
  }
}

/** The first name that is a checkpoint: one, or none. */
async function firstOf(store: AnchorStore, folder: Folder): Promise<AnchoredCheckpoint[]> {
  let token: string | undefined
  do {
    const page = await store.list({ prefix: folder.prefix, token, max: few })
    for (const key of page.keys) {
      const found = await fetchAll(store, folder, [key])
      if (found.length > 0) return found
    }
    token = page.token
  } while (token !== undefined)
  return []
}

type Stretch = readonly [after: string | undefined, upTo: string]

/**
 * S3 lists the largest size first, but the smallest is wanted first. One walk over all names records where each
 * thousand of them ends, so that the thousands can then be read from the last to the first.
 */
async function stretchesOf(store: AnchorStore, prefix: string): Promise<Stretch[]> {
  const stretches: Stretch[] = []
  let after: string | undefined
  for (;;) {
    const { keys, token } = await store.list({ prefix, after })
    const upTo = keys.at(-1)
    if (upTo !== undefined) stretches.push([after, upTo])
    if (token === undefined || upTo === undefined) return stretches
    after = upTo
  }
}

/** May be more than in the first walk, if others were written meanwhile. */
async function keysBetween(
  store: AnchorStore,
  prefix: string,
  after: string | undefined,
  upTo: string,
): Promise<string[]> {
  const found: string[] = []
  let token: string | undefined
  do {
    const page = await store.list({ prefix, after, token })
    found.push(...page.keys.filter((key) => key <= upTo))
    token = page.keys.some((key) => key >= upTo) ? undefined : page.token
  } while (token !== undefined)
  return found
}

/** Skips objects that are not a checkpoint, or not under their own name. */
async function fetchAll(store: AnchorStore, folder: Folder, keys: readonly string[]): Promise<AnchoredCheckpoint[]> {
  const ours = keys.filter((key) => keyName.test(key.slice(folder.prefix.length)))
  const found = await Promise.all(
    ours.map(async (key) => {
      const checkpoint = parseAnchored(await store.get(key), folder.namespaceId)
      return checkpoint && keyOf(folder, checkpoint) === key ? checkpoint : null
    }),
  )
  return found.filter((checkpoint) => checkpoint !== null)
}

const keyName = /^\d{16}-[0-9a-f]{16}\.json$/

function keyOf({ prefix }: Folder, { size, note }: AnchoredCheckpoint): string {
  const turned = `${Number.MAX_SAFE_INTEGER - size}`.padStart(16, '0')
  const digest = createHash('sha256').update(note).digest('hex').slice(0, 16)
  return `${prefix}${turned}-${digest}.json`
}

const inGroups = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))

/** S3 answers 409 when two clients write one key at the same moment; the SDK does not retry it. */
const conflict = 409
const exists = 412
/** The answer of other vendors' stores to an unsupported condition. */
const notImplemented = 501

interface Page {
  keys: string[]
  /** Common key prefixes up to the next `/`, if requested. */
  groups: string[]
  /** Where the next page begins; undefined after the last page. */
  token: string | undefined
}

interface ListQuery {
  prefix: string
  delimiter?: '/'
  /** Only keys after this one. */
  after?: string | undefined
  token?: string | undefined
  max?: number
}

/** The few operations that an anchor needs. */
interface AnchorStore {
  /** Does not replace an existing object. */
  putNew(key: string, text: string): Promise<void>
  get(key: string): Promise<string>
  /** Keys in order, a page of at most 1000. */
  list(query: ListQuery): Promise<Page>
}

function createAnchorStore(bucket: string, { client, within }: S3): AnchorStore {
  const object = (key: string, text: string) => ({ Bucket: bucket, Key: key, Body: text })

  /** Returns whether the store supports the condition. */
  const putConditionally = async (key: string, text: string, abortSignal: AbortSignal): Promise<boolean> => {
    for (let i = 1; i <= attempts; i++) {
      const put = new PutObjectCommand({ ...object(key, text), IfNoneMatch: '*' })
      const refused = rethrowBut([conflict, exists, notImplemented])
      const status = await client.send(put, { abortSignal }).then(expectObject, refused)
      if (status === notImplemented) return false
      if (status !== conflict) return true
    }
    throw new Error('others write the same key')
  }

  /** Two concurrent calls write the same: the key contains the digest of the relevant content. */
  const putIfMissing = async (key: string, text: string, abortSignal: AbortSignal): Promise<void> => {
    const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: key, MaxKeys: 1 })
    const found = await client.send(list, { abortSignal })
    if (found.Name !== bucket) throw notAStore()
    if (found.Contents?.some(({ Key }) => Key === key)) return
    expectObject(await client.send(new PutObjectCommand(object(key, text)), { abortSignal }))
  }

  let knowsConditions = true
  return {
    putNew: (key, text) =>
      within('PutObject', async (abortSignal) => {
        if (knowsConditions && (await putConditionally(key, text, abortSignal))) return
        await putIfMissing(key, text, abortSignal)
        knowsConditions = false
      }),

    get: (key) =>
      within('GetObject', async (abortSignal) => {
        const found = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }), { abortSignal })
        expectObject(found)
        return (await found.Body?.transformToString()) ?? ''
      }),

    list: ({ prefix, delimiter, after, token, max }) =>
      within('ListObjectsV2', async (abortSignal) => {
        const range = {
          Prefix: prefix,
          Delimiter: delimiter,
          StartAfter: after,
          ContinuationToken: token,
          MaxKeys: max,
        }
        const found = await client.send(new ListObjectsV2Command({ Bucket: bucket, ...range }), { abortSignal })
        // An empty list would mean that nothing was anchored.
        if (found.Name !== bucket) throw notAStore()
        return {
          keys: (found.Contents ?? []).flatMap(({ Key }) => Key ?? []),
          groups: (found.CommonPrefixes ?? []).flatMap(({ Prefix }) => Prefix ?? []),
          token: found.IsTruncated ? found.NextContinuationToken : undefined,
        }
      }),
  }
}

const notAStore = () => new Error('the answer is not that of an object store')

/** Another server that answers 200 to everything stores nothing, and sends no ETag. */
function expectObject({ ETag }: { ETag?: string | undefined }): null {
  if (!ETag) throw notAStore()
  return null
}

const rethrowBut =
  (statuses: readonly number[]) =>
  (error: unknown): number => {
    const status = statusOf(error)
    if (status === null || !statuses.includes(status)) throw error
    return status
  }
