import { readFileSync } from 'node:fs'

/**
 * Compares vectors in shared memory: `slots` lists row numbers as 32-bit integers, row 0 starts at `base`. Arguments
 * are byte offsets, or counts. Offsets are checked only against the end of the memory; beyond it the call throws a
 * RuntimeError.
 */
export interface Kernel {
  /**
   * out[i] (f32) = the dot product of the query with row slots[i], in float32 arithmetic. Equal rows have exactly equal
   * scores, at any place in the list.
   *
   * @param stride bytes from row to row
   * @param lanes 16-byte blocks of four floats that a row and the query have; pad with zeros
   */
  dots(query: number, base: number, stride: number, lanes: number, slots: number, count: number, out: number): void
  /**
   * out[i] (u16) = how many bits of row slots[i], or without `slots` (0) of row i, differ from the query; both are `blocks` times 16 bytes
   * wide. 65,535 means that or more.
   */
  hamming(query: number, base: number, blocks: number, slots: number, count: number, out: number): void
  /** Writes first + i (u32) to `out` for each i below `count` where values[i] (u16) is at most `max`; returns how many those are. */
  within(values: number, count: number, max: number, first: number, out: number): number
  /**
   * Twice multiplies `count` floats by `signs`, of which there are twice as many, and transforms them (Walsh-Hadamard, in
   * place, not scaled). Then `out` has a bit for each, the lowest of a byte first: 1 if it is above 0. `count` is a power
   * of two from 8 on.
   */
  sketch(values: number, signs: number, count: number, out: number): void
  /**
   * Weighs the terms of rows. `terms` is eight arrays of `size` bytes, one after the other: terms, counts, stems, latest, holding, starts,
   * candidates (u32), and weights (f64, so twice as long). Given are the stems, from 1 on, row by row, in place of the terms: those of row r from
   * bounds[r] to bounds[r + 1] (u32). `termOf` (u32, by stem) is 0, and is so again afterwards.
   *
   * A term's number is its place by first mention, from 0; stems[t] is its stem. Entries e from starts[t] to starts[t + 1] belong to term t: row
   * candidates[e] has the weight weights[e] = logs[how often it has the term] * idfs[how many rows have it] (f64). More rows than `maxHolding` count
   * as that many. inverse[r] (f64) = 1 / the length of a row's vector of weights, 0 for none. Returns how many terms there are.
   */
  weighTerms(
    terms: number,
    size: number,
    bounds: number,
    rows: number,
    termOf: number,
    idfs: number,
    maxHolding: number,
    logs: number,
    inverse: number,
  ): number
  /**
   * means[r] (f64) = the mean of the scores (f64) of the five rows with the highest cosines to row r above 0, weighted by the cosines; 0 for
   * none. Of equal ones the first rows count. It reads what `weighTerms` left, which is then of no more use; `work` has 88 * rows bytes.
   */
  meanOfNearest(
    terms: number,
    size: number,
    termCount: number,
    bounds: number,
    rows: number,
    inverse: number,
    scores: number,
    work: number,
    means: number,
  ): void
}

const wasm = new URL('./kernel.wasm', import.meta.url)
const pageBytes = 65_536
/** 4 GiB: the range of 32-bit offsets. */
const maxPages = 65_536

let compiled: WebAssembly.Module | undefined

/** Memory for `createKernel`, to be shared among threads: whole pages of 64 KiB, up to 4 GiB. */
export function createMemory(bytes: number): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: Math.ceil(bytes / pageBytes), maximum: maxPages, shared: true })
}

/** Grows it where it is shorter, by no less than `step` bytes. */
export function growTo(memory: WebAssembly.Memory, bytes: number, step = 0): void {
  const missing = bytes - memory.buffer.byteLength
  if (missing > 0) memory.grow(Math.ceil(Math.max(missing, step) / pageBytes))
}

/**
 * The kernel over one memory. It keeps no state there, so any number of threads may compare at the same time. Compiled
 * once per thread.
 *
 * @throws Error if the kernel has not been built
 */
export function createKernel(memory: WebAssembly.Memory): Kernel {
  compiled ??= new WebAssembly.Module(readKernel())
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Kernel
}

function readKernel() {
  try {
    return readFileSync(wasm)
  } catch (error) {
    throw new Error('the vector kernel is not built: run npm run build:kernel', { cause: error })
  }
}
