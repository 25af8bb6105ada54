/** The format of an exported log: its rows, which can be verified, or OCSF events for a SIEM. */
export const exportFormats = ['ndjson', 'ocsf'] as const

export type ExportFormat = (typeof exportFormats)[number]
