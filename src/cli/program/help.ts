type Flag = readonly [flag: string, what: string]

/** Flags of several commands. */
export const url: Flag = ['--url URL', 'address of the service. Default: SVC_URL, else http://127.0.0.1:PORT']
export const tokenFile: Flag = ['--token-file FILE', 'file with an API key. Default: SVC_TOKEN']
export const namespace: Flag = ['--namespace NAME', "a namespace other than the key's own"]
export const dataDir: Flag = ['--data-dir DIR', 'the data directory. Default: DATA_DIR']
export const envFile: Flag = ['--env-file FILE', 'settings file. Default: .env in the working directory']

const columns = 122

/** A line per flag, all texts in one column. */
export function flagLines(...flags: readonly Flag[]): string {
  const width = Math.max(...flags.map(([flag]) => flag.length)) + 4
  return flags.flatMap(([flag, what]) => wrapped(`  ${flag}`.padEnd(width) + what, width, columns)).join('\n')
}

/** Lines of at most `columns` characters, where there is a space to break at; all but the first begin `hang` further right. */
export function wrapped(text: string, hang: number, columns: number): string[] {
  const end = text.length > columns ? text.lastIndexOf(' ', columns) : -1
  if (end <= hang) return [text]
  return [text.slice(0, end), ...wrapped(' '.repeat(hang) + text.slice(end + 1), hang, columns)]
}
