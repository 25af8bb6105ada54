/** Limits of one file, beyond which it can't become a document. Sizes in bytes. */
export const parseLimits = {
  unpackedBytes: 256 * 2 ** 20,
  archiveEntries: 10_000,
  /** Logs have no such limit: they are read as a stream. */
  textBytes: 64 * 2 ** 20,
  units: 10_000,
  pages: 2_000,
  attachments: 100,
  /** A document in a document … */
  levels: 4,
} as const
