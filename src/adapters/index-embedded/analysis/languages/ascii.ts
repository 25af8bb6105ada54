/** A text of ASCII alone, which is processed in a fraction of the time. */
export const ascii = /^[^\u{80}-\u{10ffff}]*$/u
