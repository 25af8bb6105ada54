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

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' })

/** The English name of an ISO 639 code; an unknown code stays as it is. */
export const languageName = (code: string): string => languageNames.of(code) ?? code

/** The canonical form of a BCP 47 tag (`de-CH` of `de-ch`); null if it is not one. */
export function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

/** For operators: what brings a model that understands more languages than the one that comes with the service. */
export const multilingualModel =
  'npm run -s model -- add multilingual-e5-small, then start with EMBED_MODEL=multilingual-e5-small'
