import v8 from 'node:v8'

/**
 * Keeps V8's young generation at its first size, 1 MiB, until the returned function is called. Nearly all that a start
 * allocates stays: the young generation would grow to its largest size, 64 MiB, and shrink no more. Under load it grows as ever.
 */
export function keepYoungSmall(): () => void {
  v8.setFlagsFromString('--semi-space-growth-factor=1')
  return () => v8.setFlagsFromString('--semi-space-growth-factor=2')
}
