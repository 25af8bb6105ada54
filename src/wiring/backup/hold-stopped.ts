import { openEmbeddedSnapshots } from '../../adapters/catalog/connection/connect.ts'
import type { BackupHold } from '../../model/backup.ts'
import { holdData } from './hold.ts'

/** The same for data that no service uses: this process opens them, and no other one can until `close`. */
export async function holdOfStopped(dataDir: string): Promise<BackupHold & { close(): Promise<void> }> {
  const { snapshots, close } = await openEmbeddedSnapshots(dataDir)
  try {
    return { ...(await holdData(snapshots)), close }
  } catch (error) {
    await close()
    throw error
  }
}
