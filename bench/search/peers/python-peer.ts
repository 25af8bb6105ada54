import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from '../../support/cache-folder.ts'
import { benchDir } from '../../support/leave-nothing.ts'
import { settledMemory } from '../../support/memory.ts'
import { idOf } from '../brute-force.ts'
import { type Dataset, dimensions, type Query, vectorBase64 } from '../data.ts'
import type { Mode } from '../queries.ts'
import { type OpenPeer, PeerSkippedError, type Way } from './peer.ts'

const unitsPerAdd = 1000
const packages = ['qdrant-edge-py==0.9.0', 'tantivy==0.27.0']

/** Qdrant's core as a library: HNSW with filters, BM25, and both fused by reciprocal ranks. */
export const openQdrantEdge: OpenPeer = (dataset) =>
  openPythonPeer(dataset, 'qdrant-edge', 'Qdrant Edge', {
    vectors: 'HNSW, beside',
    hybrid: 'HNSW + BM25 by RRF, beside',
    text: 'BM25, beside',
  })

export const openTantivy: OpenPeer = (dataset) =>
  openPythonPeer(dataset, 'tantivy', 'Tantivy', { text: 'BM25, beside' })

/** An engine that has only a Python package, in a process of Python beside this one. */
async function openPythonPeer(
  dataset: Dataset,
  engine: string,
  name: string,
  ways: Partial<Record<Mode, string>>,
): ReturnType<OpenPeer> {
  const python = installed()
  const folder = benchDir(engine)
  const script = fileURLToPath(new URL('serve_peer.py', import.meta.url))
  const child = spawn(python, [script, engine, folder.path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ready = Promise.withResolvers<string>()
  const waiting = new Map<number, PromiseWithResolvers<string[]>>()
  // Events, because an iterator pauses what it reads from while nobody takes the next line.
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { version, id, found, error } = JSON.parse(line) as {
      version?: string
      id: number
      found?: number[]
      error?: string
    }
    if (version !== undefined) ready.resolve(version)
    else if (found) waiting.get(id)?.resolve(found.map(idOf))
    else waiting.get(id)?.reject(new Error(`${name}: ${error}`))
    waiting.delete(id)
  })
  child.once('exit', () => {
    ready.reject(new PeerSkippedError('its process ended'))
    for (const { reject } of waiting.values()) reject(new Error(`${name}: its process ended`))
  })
  const send = async (value: object) => {
    if (!child.stdin.write(`${JSON.stringify(value)}\n`)) await once(child.stdin, 'drain')
  }

  const begun = performance.now()
  await send({ dims: dimensions })
  for (let start = 0; start < dataset.size; start += unitsPerAdd) await send(unitsFrom(dataset, start))
  await send({ built: true })
  const version = await ready.promise.catch((error: unknown) => {
    folder.remove()
    throw error
  })
  const loadSeconds = (performance.now() - begun) / 1000
  let sent = 0
  const search = (mode: Mode, group: string, { text, vector }: Query, k: number) => {
    const found = Promise.withResolvers<string[]>()
    const id = sent++
    waiting.set(id, found)
    child.stdin.write(`${JSON.stringify({ id, mode, group, text, vector: vectorBase64(vector), k })}\n`)
    return found.promise
  }
  return {
    name: `${name} ${version}`,
    loadSeconds,
    memory: (await settledMemory(child.pid ?? 0, 1))?.rss,
    ways: (Object.entries(ways) as [Mode, string][]).map(
      ([mode, name]): Way => ({
        name,
        mode,
        connect: async (group) => ({
          search: (query, k) => search(mode, group, query, k),
          close: async () => {},
        }),
      }),
    ),
    close: async () => {
      process.off('exit', kill)
      child.stdin.end()
      await once(child, 'exit')
      folder.remove()
    },
  }
}

const unitsFrom = (dataset: Dataset, start: number) =>
  Array.from({ length: Math.min(unitsPerAdd, dataset.size - start) }, (_, i) => ({
    text: dataset.text(start + i),
    groups: dataset.groups(start + i),
    vector: vectorBase64(dataset.vector(start + i)),
  }))

/** The interpreter of a virtual environment outside of the repository, with the packages of these versions. */
function installed(): string {
  const environment = join(cacheFolder, `peers-${packages.join('-').replaceAll('=', '')}`)
  const python = join(environment, 'bin/python')
  if (existsSync(join(environment, 'complete'))) return python
  try {
    execFileSync('python3', ['-m', 'venv', environment], { stdio: 'pipe' })
    execFileSync(join(environment, 'bin/pip'), ['install', '--quiet', ...packages], { stdio: 'pipe' })
    execFileSync('touch', [join(environment, 'complete')])
    return python
  } catch (error) {
    throw new PeerSkippedError(`its Python package cannot be installed: ${String(error).split('\n')[0]}`)
  }
}
