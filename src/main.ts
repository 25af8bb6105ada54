#!/usr/bin/env node
import { help as audit } from './cli/audit/help.ts'
import { help as backup } from './cli/backup/help.ts'
import { help as completion } from './cli/completion/help.ts'
import { help as connect } from './cli/connect/help.ts'
import { help as evaluate } from './cli/evaluate/help.ts'
import { help as ingest } from './cli/ingest/help.ts'
import { help as mcp } from './cli/mcp/help.ts'
import { help as model } from './cli/model/help.ts'
import { adminHelp, tierHelp } from './cli/operator/help.ts'
import type { Commands } from './cli/program/command.ts'
import { runProgram } from './cli/program/run.ts'
import { help as restore } from './cli/restore/help.ts'
import { askHelp, searchHelp } from './cli/search/help.ts'
import { help as seed } from './cli/seed/help.ts'
import { help as serve } from './cli/serve/help.ts'
import { help as transfer } from './cli/transfer/help.ts'

const commands: Commands = {
  serve: { help: serve, load: () => import('./serve.ts') },
  seed: { help: seed, load: () => import('./cli/seed/command.ts') },
  search: { help: searchHelp, load: async () => ({ command: (await import('./cli/search/command.ts')).search }) },
  ask: { help: askHelp, load: async () => ({ command: (await import('./cli/search/command.ts')).ask }) },
  ingest: { help: ingest, load: () => import('./cli/ingest/command.ts') },
  audit: { help: audit, load: () => import('./cli/audit/command.ts') },
  evaluate: { help: evaluate, load: () => import('./cli/evaluate/command.ts') },
  transfer: { help: transfer, load: () => import('./cli/transfer/command.ts') },
  backup: { help: backup, load: () => import('./cli/backup/command.ts') },
  restore: { help: restore, load: () => import('./cli/restore/command.ts') },
  tier: { help: tierHelp, load: async () => ({ command: (await import('./cli/operator/command.ts')).tier }) },
  admin: { help: adminHelp, load: async () => ({ command: (await import('./cli/operator/command.ts')).admin }) },
  model: { help: model, load: () => import('./cli/model/command.ts') },
  mcp: { help: mcp, load: () => import('./cli/mcp/command.ts') },
  connect: { help: connect, load: () => import('./cli/connect/command.ts') },
  completion: {
    help: completion,
    load: async () => (await import('./cli/completion/command.ts')).completionOf(commands),
  },
}

// What a command writes is for its user alone, also by its threads and the processes that it starts.
process.umask(0o077)
await runProgram(commands, process.argv.slice(2))
