import { describe, expect, test } from 'vitest'
import { readSeedUnits, type SeedUnit, seedGroups, seedScopes } from '../../src/domain/seed/principals.ts'
import { isScopePath } from '../../src/model/registry.ts'
import { defaultPlane, type Locator, mayRead, modalities, planes } from '../../src/model/unit.ts'

const seedUnits = await readSeedUnits()

const planeOf = (unit: SeedUnit) => unit.plane ?? defaultPlane(unit.modality)
const count = (holds: (unit: SeedUnit) => boolean) => seedUnits.filter(holds).length

function isFraction(value: number): boolean {
  return value >= 0 && value <= 1
}

function isValid(locator: Locator): boolean {
  switch (locator.kind) {
    case 'time_range':
      return isSpan(locator.tStartMs, locator.tEndMs, 0)
    case 'char_span':
      return isSpan(locator.start, locator.end, 0)
    case 'line_range':
      return isSpan(locator.start, locator.end, 1)
    case 'bbox': {
      const { page, x, y, w, h } = locator
      const insideFrame = [x, y, w, h, x + w, y + h].every(isFraction) && w > 0 && h > 0
      return insideFrame && (page === undefined || (Number.isInteger(page) && page >= 1))
    }
  }
}

function isSpan(start: number, end: number, min: number): boolean {
  return Number.isInteger(start) && Number.isInteger(end) && start >= min && end >= start
}

describe('the seed dataset', () => {
  test('is large enough to try every feature', () => {
    expect(seedUnits.length).toBeGreaterThanOrEqual(60)
  })

  test('identifies each Unit once, by a stable kebab-case id', () => {
    const ids = seedUnits.map((unit) => unit.externalId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^seed-[a-z0-9]+(-[a-z0-9]+)*$/)
  })

  test.each(modalities)('holds several Units of modality %s', (modality) => {
    expect(count((unit) => unit.modality === modality)).toBeGreaterThanOrEqual(3)
  })

  test.each(planes)('holds several Units in plane %s', (plane) => {
    expect(count((unit) => planeOf(unit) === plane)).toBeGreaterThanOrEqual(5)
  })

  test('names a plane only where it differs from the default', () => {
    for (const unit of seedUnits) expect(unit.plane, unit.externalId).not.toBe(defaultPlane(unit.modality))
  })

  test.each(seedScopes)('registers scope %s and puts Units into it', (scope) => {
    expect(isScopePath(scope)).toBe(true)
    expect(count((unit) => unit.scope === scope)).toBeGreaterThanOrEqual(5)
  })

  test('stays inside its scopes and groups', () => {
    const scopes: readonly string[] = seedScopes
    const groups: readonly string[] = [...seedGroups, '*']
    for (const unit of seedUnits) {
      expect(scopes, unit.externalId).toContain(unit.scope)
      for (const group of unit.aclGroups) expect(groups, unit.externalId).toContain(group)
    }
  })

  test('has readable texts of at most 2,000 characters', () => {
    for (const unit of seedUnits) {
      expect(unit.text.trim(), unit.externalId).not.toBe('')
      expect(unit.text.length, unit.externalId).toBeLessThanOrEqual(2000)
      expect(unit.text.isWellFormed(), unit.externalId).toBe(true)
    }
  })

  test('says no text twice', () => {
    expect(new Set(seedUnits.map((unit) => unit.text)).size).toBe(seedUnits.length)
  })

  test('has valid locators of every kind', () => {
    for (const { externalId, locator } of seedUnits) {
      if (locator !== undefined) expect(isValid(locator), externalId).toBe(true)
    }
    const kinds = new Set(seedUnits.flatMap(({ locator }) => (locator ? [locator.kind] : [])))
    expect([...kinds].sort()).toEqual(['bbox', 'char_span', 'line_range', 'time_range'])
  })

  test('groups several Units into one document', () => {
    const sizes = new Map<string, number>()
    for (const { docId } of seedUnits) if (docId !== undefined) sizes.set(docId, (sizes.get(docId) ?? 0) + 1)
    expect([...sizes.values()].filter((size) => size > 1).length).toBeGreaterThanOrEqual(5)
  })

  test('shows a backend reader strictly fewer Units than a member of all groups', () => {
    const reader = { principalId: 'readonly', groups: ['backend'] }
    const member = { principalId: 'member', groups: [...seedGroups] }
    const visible = (who: typeof reader, scopes: readonly string[]) =>
      seedUnits
        .filter(({ scope, aclGroups }) => scopes.includes(scope) && mayRead(who, { owner: 'admin', groups: aclGroups }))
        .map((unit) => unit.externalId)

    const seen = visible(reader, ['harbor/backend'])
    const seenByMemberInBackend = visible(member, ['harbor/backend'])
    expect(seen.length).toBeGreaterThan(0)
    expect(seenByMemberInBackend).toEqual(expect.arrayContaining(seen))
    expect(seen.length).toBeLessThan(seenByMemberInBackend.length)
    expect(seenByMemberInBackend.length).toBeLessThan(visible(member, seedScopes).length)
  })

  test('keeps some Units for their owner alone', () => {
    expect(count((unit) => unit.aclGroups.length === 0)).toBeGreaterThanOrEqual(2)
  })
})
