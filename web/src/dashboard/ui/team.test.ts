import type { TeamAdmin } from '@proctorpass/shared/schemas/team'
import { expect, it } from 'vitest'
import { isActive, pastAdmins, stateSuffix } from './team.ts'

const admin = (userName: string, { disabled = false, invited = false } = {}): TeamAdmin => ({
  ...{ userId: userName, userName, displayName: null, online: false, onDuty: true, you: false },
  ...{ disabled, invited, face: null },
})
const TEAM = [
  admin('gone', { disabled: true }),
  admin('ann'),
  admin('new', { invited: true }),
  admin('withdrawn', { disabled: true, invited: true }),
  admin('bob'),
]
const names = (team: TeamAdmin[]) => team.map((each) => `${each.userName}${stateSuffix(each)}`)

it('offers conversations only to admins who may sign in', () => {
  expect(names(TEAM.filter(isActive))).toEqual(['ann', 'bob'])
})

it('lists those who may have done something, disabled ones last', () => {
  expect(names(pastAdmins(TEAM))).toEqual(['ann', 'bob', 'gone (disabled)'])
})
