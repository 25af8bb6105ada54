import { noSuchCommand, readFlags, UsageError } from '../program/command.ts'

export type TransferCommand =
  /** `namespace` is null for all namespaces. */
  { kind: 'export'; namespace: string | null; file: string } | { kind: 'import'; file: string }

/** Throws an error that says what is wrong with the command line. */
export function readCommand([name, ...args]: readonly string[]): TransferCommand {
  if (name === 'export') return readExport(args)
  if (name === 'import')
    return { kind: 'import', file: fileOf('import', readFlags({ args, allowPositionals: true }).positionals) }
  throw noSuchCommand(name, ['export', 'import'])
}

function readExport(args: string[]): TransferCommand {
  const { values, positionals } = readFlags({
    args,
    options: { namespace: { type: 'string' }, all: { type: 'boolean' } },
    allowPositionals: true,
  })
  const { namespace, all = false } = values
  if ((namespace === undefined) === !all) throw new UsageError('export takes either --namespace NAME or --all')
  return { kind: 'export', namespace: namespace ?? null, file: fileOf('export', positionals) }
}

function fileOf(command: string, [file, ...others]: readonly string[]): string {
  if (file === undefined || others.length > 0) throw new UsageError(`${command} takes one FILE`)
  return file
}
