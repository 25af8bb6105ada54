// Whether a word is new, or its row has it already, the processor cannot guess, and a wrong guess costs more than the rest: there are no
// branches for it.

/** In a row of numbers each term is one number. See `Kernel`. */
export function weighTerms(
  terms: usize,
  size: usize,
  bounds: usize,
  rows: u32,
  termOf: usize,
  idfs: usize,
  maxHolding: u32,
  logs: usize,
  inverse: usize,
): u32 {
  const counts = terms + size
  const stems = counts + size
  const latest = stems + size
  const holding = latest + size
  const starts = holding + size
  const candidates = starts + size
  const weights = candidates + size
  const termCount = numberTerms(terms, load<u32>(bounds + ((<usize>rows) << 2)), termOf, stems)
  const end = (<usize>termCount) << 2
  for (let at: usize = 0; at < end; at += 4) {
    store<u32>(termOf + ((<usize>load<u32>(stems + at)) << 2), 0)
    store<u32>(latest + at, 0)
    store<u32>(holding + at, 0)
  }
  countTerms(terms, counts, latest, holding, bounds, rows)
  // From here on, by term: the place of its idf, and of its next entry.
  let start: u32 = 0
  for (let at: usize = 0; at < end; at += 4) {
    const held = load<u32>(holding + at)
    store<u32>(latest + at, min(held, maxHolding))
    store<u32>(holding + at, start)
    store<u32>(starts + at, start)
    start += held
  }
  store<u32>(starts + end, start)
  let entry: usize = 0
  for (let row: u32 = 0; row < rows; row++) {
    const last = (<usize>load<u32>(bounds + ((<usize>row) << 2), 4)) << 2
    for (; entry < last; entry += 4) {
      const term = (<usize>load<u32>(terms + entry)) << 2
      const at = <usize>load<u32>(holding + term)
      const idf = load<f64>(idfs + ((<usize>load<u32>(latest + term)) << 3))
      store<u32>(holding + term, <u32>at + 1)
      store<u32>(candidates + (at << 2), row)
      store<f64>(weights + (at << 3), load<f64>(logs + ((<usize>load<u32>(counts + entry)) << 3)) * idf)
    }
  }
  measure(candidates, weights, start, inverse, rows)
  return termCount
}

/** Replaces numbers of words by those of terms. */
function numberTerms(terms: usize, count: u32, termOf: usize, stems: usize): u32 {
  let known: u32 = 0
  for (let at = terms, end = terms + ((<usize>count) << 2); at < end; at += 4) {
    const stem = load<u32>(at)
    const place = termOf + ((<usize>stem) << 2)
    const found = load<u32>(place)
    const isNew = found === 0
    known += <u32>isNew
    const term = select<u32>(known, found, isNew)
    store<u32>(place, term)
    store<u32>(stems + ((<usize>term - 1) << 2), stem)
    store<u32>(at, term - 1)
  }
  return known
}

/** Leaves each term of a row once, with its count, and moves the bounds of the rows. */
function countTerms(terms: usize, counts: usize, latest: usize, holding: usize, bounds: usize, rows: u32): void {
  let size: u32 = 0
  let at: usize = 0
  for (let row: u32 = 0; row < rows; row++) {
    const first = size
    const end = (<usize>load<u32>(bounds, 4)) << 2
    store<u32>(bounds, first)
    bounds += 4
    for (; at < end; at += 4) {
      const term = (<usize>load<u32>(terms + at)) << 2
      const known = load<u32>(latest + term)
      const isFirst = known <= first
      const entry = select<u32>(size, known - 1, isFirst)
      const place = (<usize>entry) << 2
      store<u32>(counts + place, select<u32>(0, load<u32>(counts + place), isFirst) + 1)
      store<u32>(terms + place, <u32>(term >> 2))
      store<u32>(latest + term, entry + 1)
      store<u32>(holding + term, load<u32>(holding + term) + <u32>isFirst)
      size += <u32>isFirst
    }
  }
  store<u32>(bounds, size)
}

function measure(candidates: usize, weights: usize, entries: u32, inverse: usize, rows: u32): void {
  memory.fill(inverse, 0, (<usize>rows) << 3)
  for (let entry: usize = 0; entry < <usize>entries; entry++) {
    const at = inverse + ((<usize>load<u32>(candidates + (entry << 2))) << 3)
    const weight = load<f64>(weights + (entry << 3))
    store<f64>(at, load<f64>(at) + weight * weight)
  }
  for (let at = inverse, end = inverse + ((<usize>rows) << 3); at < end; at += 8) {
    const square = load<f64>(at)
    store<f64>(at, square === 0 ? 0 : 1 / sqrt(square))
  }
}

/** How many others count for a row. */
const nearest: usize = 5

/** See `Kernel`. */
export function meanOfNearest(
  terms: usize,
  size: usize,
  termCount: u32,
  bounds: usize,
  rows: u32,
  inverse: usize,
  scores: usize,
  work: usize,
  means: usize,
): void {
  const starts = terms + 5 * size
  const candidates = starts + size
  const weights = candidates + size
  // By row: the end of its entries, the dot products of one row, the lowest of its five cosines, all five, and whose they are.
  const ends = work
  const dots = ends + ((<usize>rows) << 3)
  const minCosines = dots + ((<usize>rows) << 3)
  const cosines = minCosines + ((<usize>rows) << 3)
  const others = cosines + nearest * ((<usize>rows) << 3)
  memory.fill(dots, 0, others - dots + nearest * ((<usize>rows) << 2))
  memory.copy(ends, bounds, (<usize>rows) << 2)
  listEntries(starts, termCount, candidates, weights, ends, terms, terms + size)
  for (let a: u32 = 1; a < rows; a++) {
    const first = load<u32>(bounds + ((<usize>a) << 2))
    multiply(first, load<u32>(ends + ((<usize>a) << 2)), terms, terms + size, candidates, weights, dots)
    const norm = load<f64>(inverse + ((<usize>a) << 3))
    const worst = minCosines + ((<usize>a) << 3)
    // The lane after the last is of row a itself, whose cosine is 0 here.
    for (let b: u32 = 0; b < a; b += 2) {
      const offset = (<usize>b) << 3
      const cosine = f64x2.mul(f64x2.mul(v128.load(dots + offset), f64x2.splat(norm)), v128.load(inverse + offset))
      v128.store(dots + offset, f64x2.splat(0))
      const nearer = v128.or(
        f64x2.gt(cosine, v128.load64_splat(worst)),
        f64x2.gt(cosine, v128.load(minCosines + offset)),
      )
      if (!v128.any_true(nearer)) continue
      compare(cosines, others, minCosines, a, b, f64x2.extract_lane(cosine, 0))
      compare(cosines, others, minCosines, a, b + 1, f64x2.extract_lane(cosine, 1))
    }
  }
  for (let a: usize = 0; a < <usize>rows; a++) {
    let sum: f64 = 0
    let total: f64 = 0
    for (let i = a * nearest; i < (a + 1) * nearest; i++) {
      const cosine = load<f64>(cosines + (i << 3))
      sum += cosine * load<f64>(scores + ((<usize>load<u32>(others + (i << 2))) << 3))
      total += cosine
    }
    store<f64>(means + (a << 3), total === 0 ? 0 : sum / total)
  }
}

/** For each row, its entries of terms that earlier rows have too, in the order of the terms; and where the entries of those begin. */
function listEntries(
  starts: usize,
  terms: u32,
  candidates: usize,
  weights: usize,
  ends: usize,
  entries: usize,
  firsts: usize,
): void {
  for (let term: u32 = 0; term < terms; term++) {
    const first = load<u32>(starts)
    const end = load<u32>(starts, 4)
    starts += 4
    if (end - first < 2 || load<f64>(weights + ((<usize>first) << 3)) === 0) continue
    for (let entry = first + 1; entry < end; entry++) {
      const place = ends + ((<usize>load<u32>(candidates + ((<usize>entry) << 2))) << 2)
      const at = load<u32>(place)
      store<u32>(place, at + 1)
      store<u32>(entries + ((<usize>at) << 2), entry)
      store<u32>(firsts + ((<usize>at) << 2), first)
    }
  }
}

/** Adds up the dot products of a row, by its entries, with all before it. */
function multiply(
  from: u32,
  to: u32,
  entries: usize,
  firsts: usize,
  candidates: usize,
  weights: usize,
  dots: usize,
): void {
  for (let i = (<usize>from) << 2; i < (<usize>to) << 2; i += 4) {
    const entry = <usize>load<u32>(entries + i)
    const weight = load<f64>(weights + (entry << 3))
    for (let other = <usize>load<u32>(firsts + i); other < entry; other++) {
      const at = dots + ((<usize>load<u32>(candidates + (other << 2))) << 3)
      store<f64>(at, load<f64>(at) + weight * load<f64>(weights + (other << 3)))
    }
  }
}

function compare(cosines: usize, others: usize, minCosines: usize, a: u32, b: u32, cosine: f64): void {
  if (cosine > load<f64>(minCosines + ((<usize>a) << 3))) insert(cosines, others, minCosines, a, b, cosine)
  if (cosine > load<f64>(minCosines + ((<usize>b) << 3))) insert(cosines, others, minCosines, b, a, cosine)
}

/** Puts a row among the nearest of another, after those with the same cosine. */
function insert(cosines: usize, others: usize, minCosines: usize, row: u32, other: u32, cosine: f64): void {
  const first = <usize>row * nearest
  let place = first + nearest - 1
  for (; place > first; place--) {
    const before = load<f64>(cosines + ((place - 1) << 3))
    if (before >= cosine) break
    store<f64>(cosines + (place << 3), before)
    store<u32>(others + (place << 2), load<u32>(others + ((place - 1) << 2)))
  }
  store<f64>(cosines + (place << 3), cosine)
  store<u32>(others + (place << 2), other)
  store<f64>(minCosines + ((<usize>row) << 3), load<f64>(cosines + ((first + nearest - 1) << 3)))
}
