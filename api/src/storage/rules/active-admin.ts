import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import type { UserRecord } from '../port/records.ts'

/** Whether this admin may sign in: neither disabled nor invited. Others cannot be assigned, mentioned or notified. */
export function isActiveAdmin({ roles, disabled, inviteHash }: UserRecord): boolean {
  return roles.includes(ADMIN_ROLE) && !disabled && inviteHash === null
}
