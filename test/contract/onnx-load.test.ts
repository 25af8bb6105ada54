import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addModel } from '../../src/adapters/inference-onnx/loaded-model.ts'
import type { Input, ModelSpec } from '../../src/adapters/inference-onnx/messages.ts'
import { createRunner, OnnxWorker } from '../../src/adapters/inference-onnx/runner.ts'
import type { Inference } from '../../src/ports/models/inference.ts'
import { type LocalModels, localModels } from '../support/onnx/local-models.ts'
import { slowEmbedder, tinyEmbedder, writeTinyModel } from '../support/onnx/tiny-models.ts'
import { tempDir } from '../support/temp-dir.ts'
import { similarity } from './inference.contract.ts'

describe('local models under load', () => {
  let directory: ReturnType<typeof tempDir>
  let local: LocalModels
  let inference: Inference
  const long = 'the keeper lights the lamp '.repeat(200)
  const embed = (texts: string[], kind: 'passage' | 'query' = 'passage', signal?: AbortSignal) =>
    inference.embed('text', texts, kind, signal)
  const specOf = (name: string): ModelSpec => ({
    key: name,
    task: 'embed',
    directory: `${directory.path}/${name}`,
    weights: 'onnx/model.onnx',
    parts: 0,
    hashes: {},
    maxTokens: 512,
    padded: false,
    pooling: 'mean',
    view: null,
  })

  beforeAll(async () => {
    directory = tempDir('onnx-load')
    writeTinyModel(directory.path, 'slow', slowEmbedder())
    writeTinyModel(directory.path, 'slower', slowEmbedder(200))
    writeTinyModel(directory.path, 'tiny', tinyEmbedder())
    local = await localModels({
      INFERENCE: 'onnx',
      MODELS_DIR: directory.path,
      EMBED_MODEL: 'slow',
      EMBED_MODEL_VISUAL: 'slower',
      EMBED_MODEL_AUDIO: 'tiny',
    })
    inference = local.models.inference
  })
  afterAll(async () => {
    await local?.close()
    directory.remove()
  })

  it('leave the event loop to others while they run', async () => {
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 1)
    await inference.embed('visual', [long], 'passage')
    clearInterval(timer)
    // A loop that is blocked has one or two.
    expect(turns).toBeGreaterThan(20)
  })

  it('answer a query before the passages that were there first, and passages of others between', async () => {
    const order: string[] = []
    const note = (name: string, work: Promise<unknown>) => work.then(() => order.push(name))
    await Promise.all([
      note('many passages', embed(Array(6).fill(long))),
      note('one passage', embed(['lamp'])),
      note('query', embed(['where is the lamp'], 'query')),
    ])
    expect(order).toEqual(['query', 'one passage', 'many passages'])
  })

  it('stop between batches when nobody waits any more, and go on with what others ask', async () => {
    const over = new AbortController()
    let runs = 0
    class Counting extends OnnxWorker {
      override run(key: string, inputs: readonly Input[]) {
        runs += 1
        // The first run is the trial after loading.
        if (runs === 3) over.abort()
        return super.run(key, inputs)
      }
    }
    const runner = createRunner(() => new Counting())
    const model = await addModel(runner, specOf('slow'), null)
    const run = (texts: string[], signal?: AbortSignal) =>
      model.run(
        texts.map((text) => [text] as const),
        { urgent: false, signal },
      )
    const waiting = run([long], over.signal)
    await expect(run(Array(8).fill(long), over.signal)).rejects.toMatchObject({ name: 'AbortError' })
    await Promise.allSettled([waiting])
    await expect(run(['lamp'], over.signal)).rejects.toMatchObject({ name: 'AbortError' })
    expect(runs).toBe(3)
    expect(await run(['lamp'])).toHaveLength(1)
    expect(runs).toBe(4)
    await runner.close()
  })

  it('take texts of any length and any number at once, and answer in order', async () => {
    const audio = (texts: string[]) => inference.embed('audio', texts, 'passage')
    // The first passage of both is the same; no word is longer than the longest word of the model.
    const [whole, longer] = await audio([long, long.repeat(100)])
    expect(longer?.slice(0, 16)).toEqual(whole?.slice(0, 16))
    const [first, emoji, run] = await audio(['lamp '.repeat(62), '🦉'.repeat(50_000), 'x'.repeat(200_000)])
    expect([first, emoji, run].map((vector) => vector?.length ?? null)).toEqual([16, null, 16])

    const texts = Array.from({ length: 300 }, (_, i) => `${i % 3 ? 'north' : 'south'} pier `.repeat(1 + (i % 17)))
    const together = await Promise.all([audio(texts), ...texts.slice(0, 60).map((text) => audio([text]))])
    const [all = [], ...alone] = together
    expect(all).toHaveLength(300)
    for (const [i, [vector]] of alone.entries()) expect(similarity(all[i], vector)).toBeCloseTo(1, 4)
  })

  it('are loaded to the end before their thread is ended', async () => {
    const begun = Promise.withResolvers<void>()
    class Telling extends OnnxWorker {
      override load(spec: ModelSpec) {
        begun.resolve()
        return super.load(spec)
      }
    }
    const runner = createRunner(() => new Telling())
    runner.add(specOf('tiny'))
    const loading = runner.load('tiny')
    await begun.promise
    await runner.close()
    await expect(loading).resolves.toBeUndefined()
    await expect(runner.load('tiny')).rejects.toMatchObject({ of: 'thread' })
  })

  it('come back after their thread ended, but fail while it cannot be replaced', async () => {
    const threads: OnnxWorker[] = []
    const runner = createRunner(() => {
      const thread = new OnnxWorker()
      threads.push(thread)
      return thread
    })
    const model = await addModel(runner, specOf('tiny'), null)
    const run = () => model.run([['lamp']], { urgent: true })
    const [before] = await run()
    const pending = run()
    await threads[0]?.end()
    await Promise.allSettled([pending])
    expect(runner.isFailing()).toBe(true)
    expect((await run())[0]).toEqual(before)
    expect([runner.isFailing(), threads.length]).toEqual([false, 2])
    await threads[1]?.end()
    // The thread was restarted a moment ago: a second crash must not cause restarts without end.
    await expect(run()).rejects.toMatchObject({ of: 'thread' })
    expect([runner.isFailing(), threads.length]).toEqual([true, 2])
    await runner.close()
  })
})
