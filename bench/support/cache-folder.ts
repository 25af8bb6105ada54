import { homedir } from 'node:os'
import { join } from 'node:path'

/** Outside the repository: nothing of models and other engines is ever committed. */
export const cacheFolder: string =
  process.env.BENCH_CACHE_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'retrieval-bench')
