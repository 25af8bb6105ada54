import type { Config } from '../../../src/config.ts'
import type { Bindings } from '../../../src/domain/bindings/bindings.ts'
import { boot, type TestApp } from '../boot.ts'
import { tempDir } from '../temp-dir.ts'

interface ReplicaOptions {
  config?: Partial<Config>
  bindings?: Partial<Bindings>
}

/**
 * A second application over the catalog of `app`. A server's database gets a new connection; the embedded database
 * allows only one, so it is shared. The second application shares nothing else.
 */
export async function bootReplica(app: TestApp, { config, bindings }: ReplicaOptions): Promise<TestApp> {
  const directory = tempDir('replica')
  const isServer = app.storage.catalog.kind === 'postgresql'
  const shared = isServer ? {} : { catalog: { ...app.runtime.bindings.catalog, close: async () => {} } }
  const replica = await boot({
    config: { ...config, dataDir: directory.path },
    bindings: { ...shared, ...bindings },
    storage: app.storage,
  })
  const close = async () => {
    await replica.close({ keep: true })
    directory.remove()
  }
  return { ...replica, close }
}
