/** In double quotes it is the same key. */
export const unquoted = (key: string): string => /^"(.*)"$/.exec(key)?.[1] ?? key

export const isKey = (key: string): boolean => /^[\x21-\x7e]{1,255}$/.test(key)
