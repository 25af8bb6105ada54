/** A series of values in [0, 1], one for each column. */
export interface Series {
  mark: string
  name: string
  values: readonly number[]
}

/** A plot in text, ten lines high: shares over the labels of the columns. A later series hides an earlier one. */
export function plot(title: string, labels: readonly string[], series: readonly Series[]): string {
  const width = Math.max(...labels.map(({ length }) => length)) + 2
  const lines = Array.from({ length: 11 }, (_, i) => {
    const level = 10 - i
    const cells = labels.map((_, column) => {
      const here = series.filter(({ values }) => Math.round((values[column] ?? 0) * 10) === level)
      return here
        .map(({ mark }) => mark)
        .join('')
        .padStart(width)
    })
    return `${`${level * 10} %`.padStart(6)} |${cells.join('')}`
  })
  const legend = series.map(({ mark, name }) => `${mark} ${name}`).join(', ')
  const axis = `${' '.repeat(7)}+${'-'.repeat(width * labels.length)}`
  return [
    title,
    ...lines.map((line) => line.trimEnd()),
    axis,
    `${' '.repeat(8)}${labels.map((label) => label.padStart(width)).join('')}`,
    legend,
  ].join('\n')
}
