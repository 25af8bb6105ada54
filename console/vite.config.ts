import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from './build/compressed.ts'
import { firstScript } from './build/first-script.ts'
import { persistedDocuments } from './build/persisted-documents.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), firstScript(), persistedDocuments(), compressed()],
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // For the test of the sizes.
    manifest: true,
    // Most packages in the bundle ask that their licence goes with it.
    license: { fileName: 'LICENSES.md' },
    // The policy of the page forbids data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    // Compressing takes nearly all of the time, as it should.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
})
