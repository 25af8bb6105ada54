import { createKernel, createMemory, growTo, type Kernel } from '../kernel/kernel.ts'

/** Threads that may compare at the same time, each with its own scratch space. */
export const maxThreads = 8
/** How many rows one call of the kernel compares; determines the size of the scratch space. */
export const block = 2048

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
    return createMemory(maxThreads * scratchBytes(stride))
  }

  get buffer(): SharedArrayBuffer {
    return this.memory.buffer as unknown as SharedArrayBuffer
  }

  /** Where a thread puts the kernel's input and finds its output, as byte offsets. */
  scratch(thread: number): { query: number; slots: number; out: number } {
    const query = thread * scratchBytes(this.stride)
    return { query, slots: query + this.stride, out: query + this.stride + 4 * block }
  }

  /** The position of a slot; grows the memory for it. */
  reserve(slot: number): number {
    const end = this.base + (slot + 1) * this.stride
    growTo(this.memory, end, this.buffer.byteLength / 8)
    return end - this.stride
  }

  /** The bytes of the first `slots` rows; grows the memory for them. */
  rows(slots: number): Uint8Array<SharedArrayBuffer> {
    growTo(this.memory, this.base + slots * this.stride)
    return new Uint8Array(this.buffer, this.base, slots * this.stride)
  }
}

const scratchBytes = (stride: number) => stride + 8 * block
