/** The parts of a version that a release may raise. */
export const kinds = ['patch', 'minor', 'major'] as const
export type Kind = (typeof kinds)[number]

/** The version after `version`, by https://semver.org. */
export function nextVersion(version: string, kind: Kind): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (kind === 'major') return `${major + 1}.0.0`
  return kind === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}

const heading = '## [Unreleased]\n'

/** What is under "Unreleased" in the changelog. */
export function unreleased(changelog: string): string {
  const [, after = ''] = changelog.split(heading)
  return after.split(/^## \[/m)[0]?.trim() ?? ''
}

/** The changelog with a heading for the release above what was unreleased. */
export const releasedChangelog = (changelog: string, version: string, date: string): string =>
  changelog.replace(heading, `${heading}\n## [${version}] - ${date}\n`)
