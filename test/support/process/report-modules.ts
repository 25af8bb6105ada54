import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'

// With `--import`: at its end the process writes the URLs of all modules that its main thread loaded.
const file = process.env.REPORT_MODULES
if (isMainThread && file !== undefined) {
  const urls: string[] = []
  registerHooks({
    load: (url, context, next) => {
      urls.push(url)
      return next(url, context)
    },
  })
  process.on('exit', () => writeFileSync(file, `${urls.join('\n')}\n`))
}
