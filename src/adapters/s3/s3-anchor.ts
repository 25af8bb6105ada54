import { createHash } from 'node:crypto'
import { type AnchoredCheckpoint, anchorName, formatAnchored, parseAnchored } from '../../model/anchored-checkpoint.ts'
import { noTelemetry } from '../../model/telemetry.ts'
import type { AuditAnchor } from '../../ports/stores/audit-anchor.ts'
import { type AnchorStore, createAnchorStore } from './anchor-store.ts'
import { createS3, type S3Settings, type S3Timeouts } from './client.ts'

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
