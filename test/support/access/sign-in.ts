import { type Config, readConfig } from '../../../src/config.ts'
import { boot, type TestApp } from '../boot.ts'
import { tempDir } from '../temp-dir.ts'

type SignInOn = Extract<Config['signIn'], { kind: 'on' }>

/** The default settings of console sign-in with some changes. The throttle limit is high unless the caller sets it. */
export function signInWith(changes: Partial<SignInOn> = {}): SignInOn {
  const { signIn } = readConfig({})
  if (signIn.kind === 'off') throw new Error('console sign-in is off by default')
  return { ...signIn, throttle: { tries: 1000, windowSeconds: 60 }, ...changes }
}

/** Another application with other settings on the same open catalog; it starts fast. */
export async function withVariant(
  { runtime, storage }: TestApp,
  config: Partial<Config>,
  work: (app: TestApp) => Promise<void>,
): Promise<void> {
  const directory = tempDir('variant')
  const catalog = { ...runtime.bindings.catalog, close: async () => {} }
  const app = await boot({ config: { dataDir: directory.path, ...config }, bindings: { catalog }, storage })
  try {
    await work(app)
  } finally {
    await app.close({ keep: true })
    directory.remove()
  }
}
