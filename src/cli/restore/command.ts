import { resolve } from 'node:path'
import { readConfig } from '../../config.ts'
import { BackupRefusedError } from '../../model/backup.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { report } from '../backup/command.ts'
import { type Command, type Environment, flag, onlyWord, readWords, text } from '../program/command.ts'

/** Said when neither the snapshot nor the settings have the key that signed the logs. */
const otherSigner =
  'the audit logs do not verify at first: the key that signed their last checkpoints is not in this backup, and the service makes a new one. A log verifies again after its next checkpoint, once it has a new row. To keep the old key, set AUDIT_SIGNING_KEY before the service starts'

async function main(args: readonly string[], env: Environment): Promise<number> {
  const { values, positionals } = readWords(args, { snapshot: text, 'data-dir': text, verify: flag, json: flag })
  const from = onlyWord(positionals, 'one folder FROM is needed; try --help')
  const { snapshot: id, 'data-dir': folder, verify = false, json = false } = values
  const config = readConfig({ ...env, ...(folder !== undefined && { DATA_DIR: folder }) })
  if (config.catalog.kind === 'postgresql' && !verify) {
    throw new OperatorError('DATABASE_URL is set: the data are on a server; docs/backup.md says how to restore them')
  }
  const { restore, verifySnapshot } = await import('../../wiring/restore.ts')
  if (!verify) {
    const dataDir = resolve(config.dataDir)
    const { files: _, objects: __, ...shown } = await restore({ from, id, dataDir })
    console.log(json ? JSON.stringify({ ...shown, data_dir: dataDir }) : report('restored', shown))
    if (!shown.keys && config.audit.signingSeeds === null) console.error(`restore: ${otherSigner}`)
    return 0
  }
  const { snapshot, differences } = await verifySnapshot({ from, id, config })
  const { files: _, objects: __, ...shown } = snapshot
  if (json) console.log(JSON.stringify({ ...shown, verified: differences.length === 0, differences }))
  else if (differences.length === 0) console.log(report('verified', shown))
  for (const difference of differences) console.error(`restore: ${difference}`)
  return differences.length === 0 ? 0 : 1
}

export const command: Command = {
  name: 'restore',
  run: main,
  codeOf: (error) => (error instanceof BackupRefusedError ? 1 : 2),
}
