import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../src/adapters/metrics-prometheus/metrics.ts'
import { tempDir } from '../support/temp-dir.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url))
const alertsPath = pathOf('prometheus/alerts.yaml')

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string; runbook: string } }[] }[]
}
const rules = (parse(readFileSync(alertsPath, 'utf8')) as Rules).groups.flatMap((group) => group.rules)

interface Panel {
  title: string
  type: string
  targets?: { expr: string }[]
}
const { panels } = JSON.parse(readFileSync(pathOf('grafana/dashboard.json'), 'utf8')) as { panels: Panel[] }

const expressions = [
  ...rules.map(({ alert, expr }) => ({ of: alert, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr }))),
]

const families = createMetrics().registry.getMetricsAsArray()

/** The series of a family by name, with the labels that each has. */
const series = new Map(
  families.flatMap((family) => {
    const { name, type } = family
    const labels: readonly string[] = 'labelNames' in family ? (family.labelNames as string[]) : []
    const isHistogram = `${type}` === 'histogram'
    const names = isHistogram ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name]
    return names.map((one) => [one, new Set([...labels, 'le', 'instance'])] as const)
  }),
)

const names = (expr: string) => expr.match(/\b(?:http_server|retrieval|process|nodejs)_\w+/g) ?? []

/** Label names in the selectors and groupings of an expression. */
const labelsIn = (expr: string) => [
  ...[...expr.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"/g)].map(([, label = '']) => label),
  ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',').map((label) => label.trim())),
]

describe('dashboard and alerts', () => {
  it.each(expressions)('$of: uses existing metrics and labels', ({ expr }) => {
    const used = names(expr)
    expect(used.length).toBeGreaterThan(0)
    const labels = new Set(used.flatMap((name) => [...(series.get(name) ?? [])]))
    expect(used.filter((name) => !series.has(name))).toEqual([])
    expect(labelsIn(expr).filter((label) => !labels.has(label))).toEqual([])
  })

  it('show every family of the service', () => {
    const shown = new Set(expressions.flatMap(({ expr }) => names(expr)))
    const missing = families.filter(({ name }) => {
      const own = /^(http_server|retrieval)_/.test(name)
      return own && ![name, `${name}_bucket`, `${name}_count`].some((one) => shown.has(one))
    })
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  it('say what is wrong and what to look at', () => {
    for (const { annotations } of rules) expect(annotations.summary && annotations.runbook).toBeTruthy()
  })
})

const promtool = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

describe.skipIf(!hasPromtool)('promtool (needs Debian’s prometheus)', () => {
  it('accepts the alerts', () => {
    expect(promtool('check', 'rules', alertsPath)).toMatchObject({ status: 0 })
  })

  it('fires them when they should, and else not', () => {
    const folder = tempDir('alerts')
    const failing = 'http_server_request_duration_seconds_count{http_response_status_code='
    const fires = (alertname: string, at: string, summary: string | null) => ({
      eval_time: at,
      alertname,
      exp_alerts:
        summary === null
          ? []
          : [
              {
                exp_labels: { severity: 'critical' },
                exp_annotations: rules.find(({ alert }) => alert === alertname)?.annotations,
              },
            ],
    })
    const tests = [
      {
        interval: '1m',
        input_series: [
          { series: 'retrieval_build_info{version="1"}', values: '1x20 stale' },
          { series: `${failing}"200"}`, values: '0+100x40' },
          { series: `${failing}"503"}`, values: '0+0x15 0+10x25' },
          { series: 'retrieval_audit_anchor_behind', values: '0x5 1x40' },
        ],
        alert_rule_test: [
          fires('RetrievalDown', '20m', null),
          fires('RetrievalDown', '40m', 'No replica'),
          fires('RetrievalErrors', '15m', null),
          fires('RetrievalErrors', '35m', 'More than'),
          fires('RetrievalAnchorBehind', '10m', null),
          fires('RetrievalAnchorBehind', '35m', 'Checkpoints'),
        ],
      },
    ]
    const path = join(folder.path, 'test.json')
    writeFileSync(path, JSON.stringify({ rule_files: [alertsPath], evaluation_interval: '1m', tests }))
    const { status, output } = promtool('test', 'rules', path)
    folder.remove()
    expect(status, output).toBe(0)
  })
})
