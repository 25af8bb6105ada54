/**
 * The ISO 639 code of a BCP 47 tag, the shortest one: `pt` of `pt-BR`. The written forms of Norwegian count as one
 * language. Null for null.
 */
export function primaryLanguage(tag: string | null): string | null {
  if (tag === null) return null
  const { language } = new Intl.Locale(tag)
  return language === 'nb' || language === 'nn' ? 'no' : language
}

/** The canonical form of a BCP 47 tag (`de-CH` of `de-ch`); null if it is not one. */
export function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}
