/**
 * The ISO 639 code of a BCP 47 tag, the shortest one: `pt` of `pt-BR`. The written forms of Norwegian count as one
 * language. Null for null, and if not a tag: tags are checked when they are sent, but not when a catalog is copied.
 */
export function primaryLanguage(tag: string | null): string | null {
  const canonical = tag === null ? null : canonicalLanguage(tag)
  if (canonical === null) return null
  const { language } = new Intl.Locale(canonical)
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
