import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each file boots a database of its own; more at once than cores only makes them slow.
    maxWorkers: 2,
  },
})
