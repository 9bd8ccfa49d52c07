import { nameWithoutLink } from '@proctorpass/shared/fields/name'
import { TEAM_SHOWN_MAX } from '@proctorpass/shared/limits'
import type { ShownAdmin } from '@proctorpass/shared/schemas/config'
import type { TeamUseCases } from '../auth/team.ts'
import type { Storage } from '../storage/model/storage.ts'
import { isActiveAdmin } from '../storage/model/users.ts'
import { cachedRead } from './cached-read.ts'

/** How long a read of the store counts as current. */
const CURRENT_MS = 1_000

interface Deps {
  storage: Pick<Storage, 'users' | 'onStored'>
  isOnline: TeamUseCases['isOnline']
}

/**
 * Makes the read of the admins whom visitors see: those on duty who have a display name, and first those who are online.
 * It knows this node's changes at once, and other nodes' changes and who is online about a second later. While the store
 * is away, it returns whom it last knew.
 */
export function createShownTeam({ storage, isOnline }: Deps): () => Promise<ShownAdmin[]> {
  let known: ShownAdmin[] = []

  async function read(): Promise<ShownAdmin[]> {
    const admins = (await storage.users.list()).flatMap((user) => {
      const name = nameWithoutLink(user.displayName)
      return user.onDuty && isActiveAdmin(user) && name !== null ? [{ ...user, name }] : []
    })
    const online = await Promise.all(admins.map(({ _id }) => isOnline(_id)))
    const isFirst = (_: unknown, at: number) => online[at] === true
    const isSecond = (_: unknown, at: number) => online[at] !== true
    return [...admins.filter(isFirst), ...admins.filter(isSecond)]
      .slice(0, TEAM_SHOWN_MAX)
      .map(({ name, face }) => ({ name, face }))
  }

  const refresh = cachedRead(async () => {
    known = await read().catch(() => known)
  }, CURRENT_MS)
  storage.onStored(({ kind }) => {
    if (kind === 'user') refresh.expire()
  })
  return async () => {
    await refresh()
    return known
  }
}
