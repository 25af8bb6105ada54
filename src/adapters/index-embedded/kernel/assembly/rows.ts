/** Where the row begins whose number is at `slot`. */
export function rowAt(base: usize, stride: usize, slot: usize): usize {
  return base + <usize>load<u32>(slot) * stride
}
