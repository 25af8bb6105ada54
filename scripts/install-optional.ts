import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** `npm run install:otel`: packages that few deployments need, in exact versions. */
const groups: Readonly<Record<string, readonly string[]>> = {
  otel: [
    '@opentelemetry/context-async-hooks@3.1.0',
    '@opentelemetry/exporter-trace-otlp-http@0.301.0',
    '@opentelemetry/exporter-trace-otlp-proto@0.301.0',
    '@opentelemetry/resources@3.1.0',
    '@opentelemetry/sdk-trace@3.1.0',
  ],
}

const root = new URL('../', import.meta.url)
const isInstalled = (spec: string) => existsSync(new URL(`node_modules/${spec.replace(/@[^@]+$/, '')}`, root))

const [asked = ''] = process.argv.slice(2)
if (groups[asked] === undefined) {
  console.error(`install-optional: the group must be one of ${Object.keys(groups).join(', ')}`)
  process.exit(2)
}
// npm removes what it did not save before, so all groups are installed together.
const specs = Object.entries(groups).flatMap(([name, group]) =>
  name === asked || group.every(isInstalled) ? group : [],
)
const { status } = spawnSync('npm', ['install', '--no-save', '--ignore-scripts', ...specs], {
  cwd: fileURLToPath(root),
  stdio: 'inherit',
})
process.exit(status ?? 1)
