import { describe, expect, it } from 'vitest'
import { createStorage } from '../../support/database/database.ts'
import { environmentOf, startServerProcess } from '../../support/process/server-process.ts'
import { startRedisServer } from '../../support/redis/server.ts'
import { startS3Server } from '../../support/s3/server.ts'

const password = 'hush-of-redis'

describe('a server whose Redis and S3 are down', () => {
  it('starts, says so, works, takes them up when they are back, and stops', async () => {
    const [redis, s3, storage] = [await startRedisServer({ password }), await startS3Server(), await createStorage()]
    s3.always = 'error'
    await redis.stop()
    const { accessKeyId, secretAccessKey } = s3.credentials
    const env = {
      REDIS_URL: redis.url,
      S3_BUCKET: s3.bucket,
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    }
    try {
      await using server = await startServerProcess({ ...environmentOf(storage), ...env })
      expect(server.stdout).toMatch(/objects +s3 \(down\)/)
      expect(server.stdout).toMatch(/key-value +redis \(down\)/)
      const { tokens } = await (await fetch(`${server.url}/v1/admin/seed`, { method: 'POST' })).json()
      const searched = await fetch(`${server.url}/v1/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' },
        body: JSON.stringify({ q: 'lighthouse' }),
      })
      expect((await searched.json()).hits.length).toBeGreaterThan(0)

      await redis.start()
      s3.always = null
      const health = async () => (await fetch(`${server.url}/v1/health`)).json()
      const back = { status: 'ok', bindings: { object_store: 's3', key_value: 'redis' } }
      await expect.poll(health).toMatchObject(back)

      server.kill('SIGTERM')
      expect(await server.exited).toEqual({ code: 0, signal: null })
      const printed = server.stdout + server.stderr
      expect(printed).toContain('Redis is unreachable')
      expect(printed).not.toContain(password)
      expect(printed).not.toContain(secretAccessKey)
    } finally {
      await redis.close()
      await s3.close()
      await storage.remove()
    }
  })
})
