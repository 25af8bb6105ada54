import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createLogCheck, readLines, UncheckedError, verifyLog } from '../../src/cli/audit/verify.ts'
import { type AuditRow, auditBody, auditHash } from '../../src/model/audit.ts'
import { auditLine } from '../../src/model/audit-wire.ts'
import { formatCheckpoint, originOf } from '../../src/model/checkpoint.ts'
import { createCompactRange, leafHash } from '../../src/model/merkle.ts'
import { formatVerifier, signNote, verifierOf } from '../../src/model/signed-note.ts'
import { key, origin, type VectorCase, vectorCases, vectorFiles } from '../vectors/vectors.ts'

const folder = new URL('../vectors/audit/', import.meta.url)
const path = (name: string) => fileURLToPath(new URL(name, folder))
const manifest: VectorCase[] = JSON.parse(await readFile(path('manifest.json'), 'utf8'))

test('what is committed is what the script makes', async () => {
  expect(manifest).toEqual(vectorCases)
  const names = await readdir(folder)
  expect(names.sort()).toEqual([...Object.keys(vectorFiles), 'manifest.json'].sort())
  for (const [name, content] of Object.entries(vectorFiles)) {
    expect(Buffer.compare(await readFile(path(name)), Buffer.from(content)), name).toBe(0)
  }
})

test('every file is in the manifest', () => {
  const used = new Set(manifest.flatMap(({ log, checkpoint, pubkey }) => [log, checkpoint, pubkey]))
  expect(Object.keys(vectorFiles).filter((name) => !used.has(name))).toEqual([])
})

async function outcomeOf({ log, checkpoint, pubkey }: VectorCase) {
  const args = [path(log)]
  if (checkpoint !== undefined) args.push('--checkpoint', path(checkpoint))
  if (pubkey !== undefined) args.push('--pubkey', pubkey.startsWith('svc/') ? pubkey : path(pubkey))
  return verifyLog(args).catch((error) => {
    if (!(error instanceof UncheckedError)) throw error
    return { code: 2, text: error.message }
  })
}

test.each(manifest)('$name: exit $exit', async (vector) => {
  const { code, text } = await outcomeOf(vector)
  expect({ code, text }).toEqual({ code: vector.exit, text: expect.stringContaining(vector.reason ?? 'intact') })
  expect(/^row +(\d+)$/m.exec(text)?.[1] ?? null).toBe(vector.break_at === null ? null : `${vector.break_at}`)
})

test('the rows are as the service writes and hashes them', async () => {
  const lines = (await readFile(path('log.ndjson'), 'utf8')).split('\n').slice(0, -1)
  expect(lines).toHaveLength(12)
  for (const line of lines) {
    const { prev_hash: prevHash, principal_id: principalId, request_id: requestId, ...rest } = JSON.parse(line)
    const row: AuditRow = { ...rest, prevHash, principalId, requestId }
    expect(auditLine(row)).toBe(line)
    expect(auditHash(row)).toBe(row.hash)
  }
})

test('checkpoints and keys are as the service writes them', async () => {
  expect(originOf('svc', 'acme')).toBe(origin)
  const signer = { name: origin, privateKey: key }
  expect(`${formatVerifier(verifierOf(signer))}\n`).toBe(await readFile(path('key.txt'), 'utf8'))
  const lines = (await readFile(path('log.ndjson'), 'utf8')).split('\n').slice(0, 9)
  const range = createCompactRange()
  for (const line of lines) {
    const { prev_hash: prevHash, principal_id: principalId, request_id: requestId, ...rest } = JSON.parse(line)
    const row: AuditRow = { ...rest, prevHash, principalId, requestId }
    range.append(leafHash(Buffer.from(auditBody(row))).toString('latin1'))
  }
  const text = formatCheckpoint({ origin, size: range.size, root: range.root() })
  expect(signNote(text, signer)).toBe(await readFile(path('checkpoint.9.txt'), 'utf8'))
})

test('any byte of the log that is changed is found, in its row', async () => {
  const log = await readFile(path('log.ndjson'))
  for (let i = 0; i < log.length; i += 1) {
    const bytes = Buffer.from(log)
    bytes[i] = (bytes[i] ?? 0) ^ 1
    const check = createLogCheck(null)
    let failure = null
    for await (const lines of readLines(chunksOf(bytes, 1000))) for (const line of lines) failure ??= check.add(line)
    const row = log.subarray(0, i).toString('latin1').split('\n').length
    const finding = failure ?? check.end()
    // Without a valid first row the file is not recognised as a log.
    const isFirst = row === 1 && finding.kind === 'unchecked'
    expect(isFirst || finding, `byte ${i}`).toEqual(
      isFirst || expect.objectContaining({ kind: 'broken', breakAt: row }),
    )
  }
})

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size)
}
