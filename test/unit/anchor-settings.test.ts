import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { boot } from '../support/boot.ts'
import { configProblem } from '../support/texts/config-problem.ts'

const anchor = (env: Record<string, string>) => readConfig(env).anchor

describe('settings of the anchor', () => {
  it('take a directory, by default one in the data directory', () => {
    expect(anchor({})).toEqual({ kind: 'directory', path: null })
    expect(anchor({ AUDIT_ANCHOR: '' })).toEqual({ kind: 'directory', path: null })
    for (const path of ['/mnt/worm/anchors', 'anchors', '../a b', 'C:\\anchors']) {
      expect(anchor({ AUDIT_ANCHOR: path })).toEqual({ kind: 'directory', path })
    }
  })

  it('take a bucket, with or without a prefix', () => {
    const none = { endpoint: null, region: null, credentials: null }
    expect(anchor({ AUDIT_ANCHOR: 's3://logs' })).toEqual({ kind: 's3', bucket: 'logs', prefix: '', ...none })
    expect(anchor({ AUDIT_ANCHOR: 's3://logs.example.com/a/b_1/' })).toMatchObject({
      bucket: 'logs.example.com',
      prefix: 'a/b_1',
    })
    const S3_ENDPOINT = 'http://127.0.0.1:9000'
    const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hush' }
    expect(anchor({ AUDIT_ANCHOR: 's3://logs', S3_ENDPOINT, ...keys })).toMatchObject({
      endpoint: S3_ENDPOINT,
      region: 'us-east-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'hush' },
    })
    expect(anchor({ AUDIT_ANCHOR: 's3://logs', S3_ENDPOINT, S3_REGION: 'here' })).toMatchObject({ region: 'here' })
  })

  it('refuse what is neither', () => {
    for (const AUDIT_ANCHOR of [
      ...['s3://', 's3:bucket', 's3://B', 's3://bucket//a', 's3://bucket/../a', 's3://bucket/ü', 'S3://bucket'],
      ...['https://bucket.s3.amazonaws.com/a', 'file:///tmp/a'],
    ]) {
      expect(configProblem({ AUDIT_ANCHOR }), AUDIT_ANCHOR).toContain('AUDIT_ANCHOR: must be a directory or s3://')
    }
    expect(configProblem({ S3_ENDPOINT: 'ftp://x' })).toContain('S3_ENDPOINT: ')
  })

  it('refuse half a key, without showing it', () => {
    expect(configProblem({ S3_SECRET_ACCESS_KEY: 'hush-hush' })).toMatch(/S3_ACCESS_KEY_ID: .* go together/)
    expect(configProblem({ S3_SECRET_ACCESS_KEY: 'hush-hush' })).not.toContain('hush-hush')
    expect(configProblem({ S3_ACCESS_KEY_ID: 'id' })).toMatch(/S3_ACCESS_KEY_ID: .* go together/)
  })

  it('decide which anchor the service has', async () => {
    const engineWith = async (config: Parameters<typeof boot>[0]) => {
      const app = await boot(config)
      const { anchor } = app.runtime.bindings
      const checkpoint = { namespaceId: 'ns_1', size: 1, time: 1, note: 'note' }
      if (anchor.engine === 'filesystem') await anchor.append(checkpoint)
      await app.close({ keep: true })
      return { engine: anchor.engine, storage: app.storage }
    }
    const { engine, storage } = await engineWith({})
    expect(engine).toBe('filesystem')
    const again = await boot({
      storage,
      config: { anchor: anchor({ AUDIT_ANCHOR: join(storage.dataDir, 'anchors') }) },
    })
    const kept: number[] = []
    for await (const { size } of again.runtime.bindings.anchor.newest()) kept.push(size)
    expect(kept).toEqual([1])
    await again.close({ keep: true })
    expect((await engineWith({ storage, config: { anchor: anchor({ AUDIT_ANCHOR: 's3://logs' }) } })).engine).toBe('s3')
    await storage.remove()
  })
})

describe('settings of the catalog', () => {
  const url = 'postgresql://service@localhost/x'

  it('take a second role for migrations', () => {
    expect(readConfig({ DATABASE_URL: url }).catalog).toEqual({ kind: 'postgresql', url, ownerUrl: undefined })
    const MIGRATION_DATABASE_URL = 'postgresql://owner@localhost/x'
    expect(readConfig({ DATABASE_URL: url, MIGRATION_DATABASE_URL }).catalog).toEqual({
      kind: 'postgresql',
      url,
      ownerUrl: MIGRATION_DATABASE_URL,
    })
  })

  it('refuse it on the embedded database', () => {
    const MIGRATION_DATABASE_URL = 'postgresql://owner:hush-hush@localhost/x'
    expect(configProblem({ MIGRATION_DATABASE_URL })).toContain('DATABASE_URL: is needed with MIGRATION_DATABASE_URL')
    expect(configProblem({ MIGRATION_DATABASE_URL })).not.toContain('hush-hush')
  })
})
