/**
 * Words of a passage, stop words included. A longer text is ranked by its best passage, so that neither its length nor
 * what it says elsewhere counts. `npm run bench:long-units` compares lengths.
 */
export const passageWords = 300
