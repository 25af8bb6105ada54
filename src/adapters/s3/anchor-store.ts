import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { attempts, type S3 } from './client.ts'
import { statusOf } from './failure.ts'

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

export interface ListQuery {
  prefix: string
  delimiter?: '/'
  /** Only keys after this one. */
  after?: string | undefined
  token?: string | undefined
  max?: number
}

/** The few operations that an anchor needs. */
export interface AnchorStore {
  /** Does not replace an existing object. */
  putNew(key: string, text: string): Promise<void>
  get(key: string): Promise<string>
  /** Keys in order, a page of at most 1000. */
  list(query: ListQuery): Promise<Page>
}

export function createAnchorStore(bucket: string, { client, within }: S3): AnchorStore {
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
