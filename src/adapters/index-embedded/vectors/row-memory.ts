import { createKernel, createMemory, type Kernel } from '../kernel/kernel.ts'

/** Threads that may compare at the same time, each in scratch space of its own. */
export const maxThreads = 8
/** How many rows one call of the kernel compares; sizes the scratch space. */
export const block = 2048
const pageBytes = 65_536

/** Where a thread puts what the kernel reads and finds what it wrote, as byte offsets. */
export interface Scratch {
  query: number
  slots: number
  out: number
}

/**
 * Rows of bytes in a WebAssembly memory that all threads share, behind their scratch space. A slot, once filled, never
 * changes. Memory never shrinks: it is freed with the last that refers to it.
 */
export class RowMemory {
  readonly memory: WebAssembly.Memory
  readonly kernel: Kernel
  /** Bytes of a row: whole SIMD lanes of 16. */
  readonly stride: number
  /** Where slot 0 is. */
  readonly base: number

  constructor(memory: WebAssembly.Memory, stride: number) {
    this.memory = memory
    this.stride = stride
    this.base = maxThreads * scratchBytes(stride)
    this.kernel = createKernel(memory)
  }

  static allocate(stride: number): WebAssembly.Memory {
    return createMemory(Math.ceil((maxThreads * scratchBytes(stride)) / pageBytes))
  }

  get buffer(): SharedArrayBuffer {
    return this.memory.buffer as unknown as SharedArrayBuffer
  }

  scratch(thread: number): Scratch {
    const query = thread * scratchBytes(this.stride)
    return { query, slots: query + this.stride, out: query + this.stride + 4 * block }
  }

  /** Where a slot is; room is made for it. */
  reserve(slot: number): number {
    const end = this.base + (slot + 1) * this.stride
    const missing = end - this.buffer.byteLength
    if (missing > 0) this.memory.grow(Math.ceil(Math.max(missing, this.buffer.byteLength / 8) / pageBytes))
    return end - this.stride
  }

  /** The bytes of the first `slots` rows; room is made for them. */
  rows(slots: number): Uint8Array<SharedArrayBuffer> {
    const missing = this.base + slots * this.stride - this.buffer.byteLength
    if (missing > 0) this.memory.grow(Math.ceil(missing / pageBytes))
    return new Uint8Array(this.buffer, this.base, slots * this.stride)
  }
}

const scratchBytes = (stride: number) => stride + 8 * block
