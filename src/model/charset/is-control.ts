/** Whether a code is of a control character that no text has: tab, line feed, form feed, carriage return and escape occur. */
export const isControl = (code: number): boolean =>
  (code < 32 && code !== 9 && code !== 10 && code !== 12 && code !== 13 && code !== 27) || code === 127
