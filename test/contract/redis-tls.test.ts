import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { createRedisKeyValue } from '../../src/adapters/kv/redis-key-value.ts'
import { startRedisServer } from '../support/redis/server.ts'
import { makeCertificate, startTlsFront } from '../support/redis/tls.ts'

const certificate = await makeCertificate()
const log = { info: () => {}, warn: () => {}, error: () => {} }

it.skipIf(certificate === null)(
  'speaks TLS by rediss://, to servers that are trusted alone (needs openssl)',
  async () => {
    if (certificate === null) return
    const redis = await startRedisServer({ password: 'hush' })
    const front = await startTlsFront(Number(new URL(redis.url).port), certificate)
    const trusted = getCACertificates('default')
    onTestFinished(async () => {
      setDefaultCACertificates(trusted)
      await front.close()
      await redis.close()
    })
    const open = () => createRedisKeyValue({ url: `rediss://:hush@127.0.0.1:${front.port}/2`, prefix: '' }, log)

    const stranger = await open()
    await expect(stranger.ping()).rejects.toThrow()
    await stranger.close()
    expect(redis.commands).toEqual([])

    setDefaultCACertificates([...trusted, certificate.cert])
    const kv = await open()
    await kv.set('k', 'x', 60_000)
    expect(await kv.get('k')).toBe('x')
    expect([...(redis.databases.get(2)?.keys() ?? [])]).toEqual(['k'])
    await kv.close()
  },
)
