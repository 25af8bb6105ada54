import { setTimeout as sleep } from 'node:timers/promises'
import { startModelServer } from '../../test/support/models/model-server.ts'
import { startServerProcess } from '../../test/support/process/server-process.ts'
import { stopService } from '../support/service.ts'
import { createClient } from './client.ts'

/** For a machine that does much else. */
export const startTimeoutMs = 600_000

const progress = '{ compaction { planes { plane pending modelChange { left } } } }'

/** Serves with another embedding model until every Unit is embedded again, then does the same with the usual one. */
export async function changeModels(env: Record<string, string>, token: string): Promise<void> {
  await using models = await startModelServer()
  const other = {
    INFERENCE_BASE_URL: `${models.url}/v1`,
    EMBED_PROVIDER_TEXT: 'openai',
    EMBED_MODEL_TEXT: 'another',
    EMBED_DIMS_TEXT: '64',
  }
  for (const model of [other, {}]) {
    await using service = await startServerProcess({ ...env, ...model }, { timeoutMs: startTimeoutMs })
    const client = createClient(service.url, { authorization: `Bearer ${token}` })
    const isDone = async () => {
      const { planes } = (await client.graphql(progress)).compaction
      return planes.every((plane: { pending: number; modelChange: unknown }) => !plane.pending && !plane.modelChange)
    }
    // The change begins in the background, soon after the start.
    await sleep(3000)
    while (!(await isDone())) await sleep(500)
    await stopService(service)
  }
}
