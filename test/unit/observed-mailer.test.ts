import { expect, it } from 'vitest'
import { createMetrics } from '../../src/adapters/metrics-prometheus/metrics.ts'
import { observedMailer } from '../../src/wiring/observed.ts'

it('mails that are being handed over are counted, those that fail too, until they end', async () => {
  const { registry, telemetry } = createMetrics()
  const length = async () => /retrieval_queue_length\{queue="mail"\} (\d+)/.exec(await registry.metrics())?.[1]
  const ends: PromiseWithResolvers<void>[] = []
  const send = () => {
    const end = Promise.withResolvers<void>()
    ends.push(end)
    return end.promise
  }
  const mailer = observedMailer(telemetry, { send }, 'smtp')
  expect(await length()).toBe('0')
  const mail = { kind: 'reset-password', to: 'ada@example.com', url: 'https://c.test/?token=abc' } as const
  const [first, second] = [mailer.send(mail), mailer.send(mail)]
  expect(await length()).toBe('2')
  ends[0]?.resolve()
  await first
  expect(await length()).toBe('1')
  ends[1]?.reject(new Error('the server failed'))
  await expect(second).rejects.toThrow('the server failed')
  expect(await length()).toBe('0')
})
