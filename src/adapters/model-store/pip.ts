import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'

/** Whatever Python this machine has: only the files inside of a wheel are used, which are the same for all. */
const anyPython = [
  ...['--platform', 'manylinux2014_x86_64', '--python-version', '312', '--implementation', 'cp', '--abi', 'cp312'],
  ...['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--no-input', '--quiet'],
]

export interface PipOptions {
  signal: AbortSignal
  /** Where programs are, and the settings of pip. */
  env: Record<string, string | undefined>
}

/**
 * Downloads the wheel of a package from PyPI, or the index of pip's settings, into a folder that it makes. Returns its
 * path. Throws an OperatorError that names the fix.
 */
export async function pipDownload(requirement: string, folder: string, options: PipOptions): Promise<string> {
  await mkdir(folder)
  const args = ['-m', 'pip', 'download', ...anyPython, '--dest', folder, requirement]
  for (const python of ['python3', 'python']) {
    const { code, stderr } = await run(python, args, options)
    if (code === 0) {
      const [wheel] = (await readdir(folder)).filter((name) => name.endsWith('.whl'))
      if (wheel !== undefined) return join(folder, wheel)
    }
    if (code !== null && !/No module named pip/.test(stderr)) throw failed(requirement, stderr)
  }
  throw new OperatorError(
    `python3 with pip is needed to get ${requirement}: install it, or download the wheel on another machine and name it with --from`,
  )
}

/** Code null: there is no such program. */
async function run(program: string, args: readonly string[], options: PipOptions) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4096)
  })
  try {
    const [code] = await once(child, 'close')
    return { code: Number(code), stderr }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { code: null, stderr }
    throw error
  }
}

/** The last error of pip, which hides passwords itself. */
function failed(requirement: string, stderr: string): OperatorError {
  const last =
    stderr
      .match(/^ERROR: .*$/gm)
      ?.at(-1)
      ?.slice('ERROR: '.length) ?? stderr.trim().split('\n').at(-1)
  return new OperatorError(
    `pip cannot get ${requirement} (${last || 'no reason given'}): check the network and the index of pip, or name a wheel with --from`,
  )
}
