const usual = [',', ';', '\t', '|', '^', '~', ':']
const sampleLines = 20

/** The character that divides the first lines into the most columns of an equal number; a comma where none does. */
export function delimiterOf(text: string): string {
  const lines = text
    .slice(0, 64 * 1024)
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .slice(0, sampleLines)
    .map((line) => line.replace(/"[^"]*"/g, ''))
  const score = (delimiter: string) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const [first = 0] = counts
    return first === 0 ? 0 : counts.filter((count) => count === first).length / counts.length + first / 1e6
  }
  const best = usual.reduce((a, b) => (score(b) > score(a) ? b : a))
  return score(best) > 0 ? best : ','
}
