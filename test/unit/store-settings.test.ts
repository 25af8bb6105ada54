import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { configProblem } from '../support/texts/config-problem.ts'

describe('settings of the stores', () => {
  it('keep everything here by default', () => {
    expect(readConfig({})).toMatchObject({ objects: { kind: 'filesystem' }, keyValue: { kind: 'memory' } })
    expect(readConfig({ S3_BUCKET: '', REDIS_URL: '' })).toMatchObject({ objects: { kind: 'filesystem' } })
  })

  it('take a bucket, reached as the anchor is', () => {
    const S3_ENDPOINT = 'http://127.0.0.1:9000'
    const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hush' }
    const reached = {
      endpoint: S3_ENDPOINT,
      region: 'us-east-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'hush' },
    }
    const { objects, anchor } = readConfig({ S3_BUCKET: 'films', AUDIT_ANCHOR: 's3://logs/a', S3_ENDPOINT, ...keys })
    expect(objects).toEqual({ kind: 's3', bucket: 'films', ...reached })
    expect(anchor).toEqual({ kind: 's3', bucket: 'logs', prefix: 'a', ...reached })
    for (const S3_BUCKET of ['a', 'Films', 's3://films', 'films/a', '-films', 'fi_lms']) {
      expect(configProblem({ S3_BUCKET }), S3_BUCKET).toContain('S3_BUCKET: must be the name of a bucket')
    }
  })

  it('say once what is wrong with the keys that both use', () => {
    const problem = configProblem({ S3_BUCKET: 'films', AUDIT_ANCHOR: 's3://logs', S3_ACCESS_KEY_ID: 'id' })
    expect(problem.match(/S3_ACCESS_KEY_ID:/g)).toHaveLength(1)
  })

  it('take the addresses that the client understands', () => {
    for (const url of ['redis://r', 'rediss://user:p%40ss@r.example.com:6380/3', 'redis://:hush@[::1]:6379/']) {
      expect(readConfig({ REDIS_URL: url }).keyValue).toEqual({ kind: 'redis', url })
    }
  })

  it('refuse others, without repeating what may be a password', () => {
    const wrong = [
      'r:6379',
      'http://r',
      'redis://',
      'redis://r/cache',
      'redis://:hush%zz@r',
      'redis://r/0/1',
      'unix:/r',
    ]
    for (const REDIS_URL of wrong) {
      const problem = configProblem({ REDIS_URL })
      expect(problem, REDIS_URL).toContain('REDIS_URL: ')
      expect(problem).not.toContain('hush')
    }
  })
})
