/** Time and randomness, injected so that tests can fix them. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export interface Random {
  /** An unguessable identifier: `<prefix>_<22 base62>`. It begins with the time at which it was made. */
  id(prefix: string): string
  /** `length` random base62 characters from a cryptographic source. */
  base62(length: number): string
}
