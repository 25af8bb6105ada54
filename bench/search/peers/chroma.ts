import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type HttpConnection, httpRequest, openConnection } from '../../support/http-connection.ts'
import { benchDir } from '../../support/leave-nothing.ts'
import { freePort, type ServerChild, ServerChildFailedError, startServerChild } from '../../support/server-child.ts'
import { idOf } from '../brute-force.ts'
import { type Dataset, groupOf, type Query, vectorText } from '../data.ts'
import { type OpenPeer, PeerSkippedError } from './peer.ts'

const unitsPerAdd = 1000

/** Chroma's own server, over its HTTP interface (v2). Each group is a metadata field with the value true. */
export const openChroma: OpenPeer = async (dataset) => {
  const folder = benchDir('chroma')
  const origin = `http://127.0.0.1:${await freePort()}`
  const server = await startServer(origin, folder.path)
  const version = await (await fetch(`${origin}/api/v2/version`)).json()

  const begun = performance.now()
  const loader = await openConnection(origin)
  const collections = '/api/v2/tenants/default_tenant/databases/default_database/collections'
  const post = async (connection: HttpConnection, path: string, body: string) =>
    JSON.parse(String(await connection.send(httpRequest(origin, { method: 'POST', path, body }))))
  const configuration = { hnsw: { space: 'cosine' } }
  const { id } = await post(loader, collections, JSON.stringify({ name: 'units', configuration }))
  const search = async (connection: HttpConnection, group: string, vector: Float32Array, k: number) => {
    const rest = JSON.stringify({ n_results: k, where: { [group]: true }, include: ['documents', 'distances'] })
    const body = `{"query_embeddings":[${vectorText(vector)}],${rest.slice(1)}`
    const { ids } = await post(connection, `${collections}/${id}/query`, body)
    return ids[0] as string[]
  }
  for (let start = 0; start < dataset.size; start += unitsPerAdd) {
    await post(loader, `${collections}/${id}/add`, addition(dataset, start))
  }
  // The first query builds part of the index.
  for (const selectivity of dataset.selectivities) await search(loader, groupOf(selectivity), dataset.vector(0), 1)
  const loadSeconds = (performance.now() - begun) / 1000
  loader.close()

  const connect = async (group: string) => {
    const connection = await openConnection(origin)
    return {
      search: ({ vector }: Query, k: number) => search(connection, group, vector, k),
      close: async () => connection.close(),
    }
  }
  return {
    name: `Chroma ${version}`,
    loadSeconds,
    ways: [{ name: 'HNSW, over HTTP', mode: 'vectors', connect }],
    close: async () => {
      await server.stop()
      folder.remove()
    },
  }
}

function addition(dataset: Dataset, start: number): string {
  const units = Array.from({ length: Math.min(unitsPerAdd, dataset.size - start) }, (_, i) => start + i)
  const rest = JSON.stringify({
    ids: units.map(idOf),
    documents: units.map(dataset.text),
    metadatas: units.map((unit) => Object.fromEntries(dataset.groups(unit).map((group) => [group, true]))),
  })
  return `{"embeddings":[${units.map((unit) => vectorText(dataset.vector(unit))).join(',')}],${rest.slice(1)}`
}

/** Starts the newest version that runs on this system. */
async function startServer(origin: string, folder: string): Promise<ServerChild> {
  const programs = ['node_modules/chromadb/dist/cli.mjs', 'run-chroma.ts']
  const files = programs.map((program) => fileURLToPath(new URL(program, import.meta.url)))
  if (!files.every(existsSync)) {
    throw new PeerSkippedError('chromadb is not installed; run: npm --prefix bench/search/peers install')
  }
  const { hostname, port } = new URL(origin)
  const isReady = async () => (await fetch(`${origin}/api/v2/heartbeat`)).ok
  let failure = ''
  for (const file of files) {
    const command = [process.execPath, file, 'run', '--path', folder, '--host', hostname, '--port', port] as const
    const env = { ...process.env, ANONYMIZED_TELEMETRY: 'False' }
    try {
      return await startServerChild(command, isReady, { cwd: folder, env })
    } catch (error) {
      if (!(error instanceof ServerChildFailedError)) throw error
      failure ||= /^Error: .*$/m.exec(error.message)?.[0] ?? error.message
    }
  }
  throw new PeerSkippedError(`its server does not start: ${failure}`)
}
