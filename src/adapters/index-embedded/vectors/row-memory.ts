import { createKernel, createMemory, type Kernel } from '../kernel/kernel.ts'

/** Threads that may compare at the same time, each with its own scratch space. */
export const maxThreads = 8
/** How many rows one call of the kernel compares; determines the size of the scratch space. */
export const block = 2048
const pageBytes = 65_536

/** Where a thread puts the kernel's input and finds its output, as byte offsets. */
export interface Scratch {
  query: number
  slots: number
  out: number
}

/**
 * Rows of bytes in a WebAssembly memory that all threads share, after their scratch space. A filled slot never changes.
 * Memory never shrinks: it is freed with the last reference to it.
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

  /** The position of a slot; grows the memory for it. */
  reserve(slot: number): number {
    const end = this.base + (slot + 1) * this.stride
    const missing = end - this.buffer.byteLength
    if (missing > 0) this.memory.grow(Math.ceil(Math.max(missing, this.buffer.byteLength / 8) / pageBytes))
    return end - this.stride
  }

  /** The bytes of the first `slots` rows; grows the memory for them. */
  rows(slots: number): Uint8Array<SharedArrayBuffer> {
    const missing = this.base + slots * this.stride - this.buffer.byteLength
    if (missing > 0) this.memory.grow(Math.ceil(missing / pageBytes))
    return new Uint8Array(this.buffer, this.base, slots * this.stride)
  }
}

const scratchBytes = (stride: number) => stride + 8 * block
