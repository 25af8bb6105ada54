import { z } from 'zod'
import { groupName, uniqueList } from '../input/fields.ts'
import { pageInput } from '../input/page.ts'
import { label, text } from '../input/parse.ts'

const maxAtOnce = 1000
const named = groupName.refine((name) => name !== '*', 'must not be *, in which everyone is')

export const groupsInput = pageInput('Offset from the first.').extend({
  prefix: text(128).default('').describe('What their names begin with.'),
})
export type GroupsInput = z.output<typeof groupsInput>

export const groupMembersInput = pageInput('Offset from the first.').extend({
  name: label().describe('The name of the group.'),
})
export type GroupMembersInput = z.output<typeof groupMembersInput>

const principals = uniqueList(label(), maxAtOnce).optional()
const groups = uniqueList(named, maxAtOnce).optional()

const changes = z
  .strictObject({
    add: principals.describe('Principals of the namespace to put into it.'),
    remove: principals.describe('Principals to take out of it. One stays in it that another group leads to.'),
    addGroups: groups.describe('Groups whose members are then in this one as well.'),
    removeGroups: groups.describe('Groups whose members are then not in this one because of them.'),
    displayName: text(128).optional().describe('A name for people to read; empty for none.'),
  })
  .refine(
    ({ add = [], remove = [] }) => add.length + remove.length <= maxAtOnce,
    `must be at most ${maxAtOnce} principals to add and remove together`,
  )
  .refine((input) => Object.values(input).some((value) => value !== undefined), 'must change at least one field')
  .meta({ title: 'ChangeGroupInput', about: 'Changes to a group. What is left out stays.' })

export const groupChange = z.strictObject({
  name: named.describe('The name of the group. It exists as soon as something names it.'),
  input: changes.describe('The changes.'),
})
export type GroupChange = z.output<typeof groupChange>

export const groupRenaming = z.strictObject({
  name: named.describe('The name of the group.'),
  newName: named.describe('Its new name, which nothing may use yet.'),
})
export type GroupRenaming = z.output<typeof groupRenaming>
