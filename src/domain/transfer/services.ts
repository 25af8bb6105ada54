import { type ExportOutput, exportNamespaces } from './export-namespaces.ts'
import { type ImportInput, importNamespaces } from './import-namespaces.ts'

type Deps = Parameters<typeof exportNamespaces>[0] & Parameters<typeof importNamespaces>[0]

/** For the operator of the service: it bypasses access control. */
export const createTransfer = (deps: Deps) => ({
  export: (name: string | null, output: ExportOutput) => exportNamespaces(deps, name, output),
  import: (input: ImportInput) => importNamespaces(deps, input),
})
