/** The answer to ListObjectsV2: keys in byte order. Keys with the same prefix up to the delimiter are grouped. */
export function listing(bucket: string, keys: Iterable<string>, query: URLSearchParams, pageSize: number): string {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const max = Math.min(Number(query.get('max-keys') ?? pageSize), pageSize)
  const startAfter = query.get('start-after') ?? ''
  const listed = Buffer.from(query.get('continuation-token') ?? '', 'base64url').toString()
  const entries = new Set<string>()
  for (const key of [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
    if (!key.startsWith(prefix) || key <= startAfter) continue
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const entry = end < 0 ? key : key.slice(0, end + delimiter.length)
    if (entry > listed) entries.add(entry)
  }
  const page = [...entries].slice(0, max)
  const isGroup = (entry: string) => delimiter !== '' && entry.endsWith(delimiter)
  const last = page.at(-1)
  const isTruncated = entries.size > page.length && last !== undefined
  return [
    '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    `<Name>${bucket}</Name><Prefix>${prefix}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${max}</MaxKeys>`,
    `<IsTruncated>${isTruncated}</IsTruncated>`,
    isTruncated ? `<NextContinuationToken>${Buffer.from(last).toString('base64url')}</NextContinuationToken>` : '',
    ...page.map((entry) =>
      isGroup(entry)
        ? `<CommonPrefixes><Prefix>${entry}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${entry}</Key><Size>1</Size><StorageClass>STANDARD</StorageClass></Contents>`,
    ),
    '</ListBucketResult>',
  ].join('')
}

/** A version in a versioned bucket: the stored bytes, or a deletion. */
export interface Version {
  key: string
  id: string
  isMarker: boolean
}

/** The answer to ListObjectVersions, one page. */
export function versionListing(bucket: string, versions: readonly Version[], query: URLSearchParams, pageSize: number) {
  const found = versions.filter(({ key }) => key.startsWith(query.get('prefix') ?? ''))
  const begin = found.findIndex(({ id }) => id === query.get('version-id-marker')) + 1
  const page = found.slice(begin, begin + pageSize)
  const last = page.at(-1)
  const isTruncated = begin + page.length < found.length && last !== undefined
  return [
    '<?xml version="1.0" encoding="UTF-8"?><ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    `<Name>${bucket}</Name><MaxKeys>${pageSize}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>`,
    isTruncated
      ? `<NextKeyMarker>${last.key}</NextKeyMarker><NextVersionIdMarker>${last.id}</NextVersionIdMarker>`
      : '',
    ...page.map(({ key, id, isMarker }) => {
      const tag = isMarker ? 'DeleteMarker' : 'Version'
      return `<${tag}><Key>${key}</Key><VersionId>${id}</VersionId><IsLatest>false</IsLatest></${tag}>`
    }),
    '</ListVersionsResult>',
  ].join('')
}
