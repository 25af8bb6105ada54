import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Checkpoint, parseCheckpoint } from '../../model/checkpoint.ts'
import { type NoteVerifier, openNote, parseVerifier } from '../../model/signed-note.ts'
import { readFlags } from '../program/command.ts'
import { reasonOf } from '../program/reason-of.ts'
import { createLogCheck, type Finding } from './check-log.ts'
import { exitCodes, type Outcome, UncheckedError } from './outcome.ts'
import { readLines } from './read-lines.ts'
import { report } from './report.ts'

/** `audit verify FILE [--checkpoint F --pubkey K]`. Throws `UncheckedError` for input that cannot be read. */
export async function verifyLog(args: readonly string[]): Promise<Outcome> {
  const finding = await check(readArgs(args))
  return { code: exitCodes[finding.kind], text: report(finding) }
}

interface VerifyArgs {
  file: string
  checkpointFile: string | undefined
  pubkey: string | undefined
}

function readArgs(args: readonly string[]): VerifyArgs {
  const options = { checkpoint: { type: 'string' }, pubkey: { type: 'string' } } as const
  const { values, positionals } = readFlags({ args: [...args], options, allowPositionals: true })
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0)
    throw new UncheckedError('verify takes one FILE, or - for standard input')
  if ((values.checkpoint === undefined) !== (values.pubkey === undefined)) {
    throw new UncheckedError('--checkpoint and --pubkey go together')
  }
  return { file, checkpointFile: values.checkpoint, pubkey: values.pubkey }
}

async function check({ file, checkpointFile, pubkey }: VerifyArgs): Promise<Finding> {
  if (checkpointFile === undefined || pubkey === undefined) return checkFile(file, null)
  const keys = await keysOf(pubkey)
  const note = await readText(checkpointFile)
  const text = openNote(note, keys)
  if (text === null) return { kind: 'broken', breakAt: null, reason: 'the checkpoint is not signed by the key' }
  const checkpoint = parseCheckpoint(text)
  if (checkpoint === null) return { kind: 'broken', breakAt: null, reason: 'what is signed is not a checkpoint' }
  return checkFile(file, checkpoint)
}

async function checkFile(file: string, checkpoint: Checkpoint | null): Promise<Finding> {
  const log = createLogCheck(checkpoint)
  const chunks = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 2 ** 18 })
  try {
    for await (const lines of readLines(chunks)) {
      for (const line of lines) {
        const failure = log.add(line)
        if (failure) return failure
      }
    }
  } catch (error) {
    throw new UncheckedError(reasonOf(error))
  }
  return log.end()
}

/** The argument is a key, or a file with keys. */
async function keysOf(pubkey: string): Promise<NoteVerifier[]> {
  const key = parseVerifier(pubkey)
  if (key) return [key]
  const lines = (await readText(pubkey)).split('\n').filter((line) => line.trim() !== '')
  const keys = lines.map(parseVerifier).filter((found) => found !== null)
  if (keys.length === 0 || keys.length < lines.length) throw new UncheckedError(`${pubkey} holds no verifier keys`)
  return keys
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UncheckedError(reasonOf(error))
  }
}
