/** Lengths in one class differ by less than 10 %. */
const ratio = Math.log(1.1)

/** Lengths up to a million are in 146 classes: few enough to request the count of each. */
export const lengthClass = (length: number): number => Math.round(Math.log(length) / ratio)

/** A length in the middle of its class. */
export const typicalLength = (lengthClass: number): number => Math.exp(lengthClass * ratio)
