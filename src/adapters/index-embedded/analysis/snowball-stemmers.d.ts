declare module 'snowball-stemmers' {
  interface Stemmer {
    stem(word: string): string
  }
  const snowball: {
    /** Throws for a language that `algorithms` does not list. */
    newStemmer(language: string): Stemmer
    algorithms(): string[]
  }
  export default snowball
}
