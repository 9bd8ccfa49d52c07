import { constants, existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Storage } from '../storage/storage.ts'

/** Where a generated first password waits for its admin when there is no terminal to show it on. */
export interface FirstPassword {
  /** Absolute. */
  readonly path: string
  /** Whether it waits. */
  exists(): boolean
  /** Writes it into a file that only its owner can read, in place of one that a start left that broke off. */
  keep(password: string): Promise<void>
  /** A file that is not there is fine. */
  drop(): Promise<void>
  /** Drops it when this admin has signed in, or had a new password, since: also on another server. */
  dropIfUsed(storage: Pick<Storage, 'users' | 'sessions'>, userName: string): Promise<void>
}

export function firstPasswordIn(dataDir: string): FirstPassword {
  const path = join(dataDir, 'first-password')
  const drop = () => rm(path, { force: true })
  return {
    path,
    exists: () => existsSync(path),

    async keep(password) {
      await drop()
      // Never through a link, and never into a file that another user made.
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
      const file = await open(path, flags, 0o600)
      try {
        await file.writeFile(`${password}\n`)
        await file.sync()
      } catch (error) {
        await drop()
        throw error
      } finally {
        await file.close()
      }
    },

    drop,

    async dropIfUsed({ users, sessions }, userName) {
      if (!existsSync(path)) return
      const user = await users.findByName(userName)
      const isUnused =
        user !== null &&
        user.credentialVersion === 0 &&
        (await sessions.listOf(user._id, Date.now())).length === 0
      if (!isUnused) await drop()
    },
  }
}

/** What is printed when the server runs. `waiting` is the file of a first password that has not been used. */
export function startMessage({
  brand,
  url,
  userName,
  generated,
  waiting,
}: {
  brand: string
  url: string
  userName: string
  generated: string | null
  waiting: string | null
}): string {
  const lines = [`${brand} is running at ${url}`]
  if (generated !== null) {
    lines.push(
      `  Sign in at ${url}/login as ${userName} with the password ${generated}`,
      '  It is shown only this once: keep it.',
    )
  } else if (waiting !== null) {
    lines.push(
      `  Sign in at ${url}/login as ${userName}`,
      `The first password is in ${waiting}`,
      '  Only the user of this process can read that file. It is removed at the first sign-in.',
    )
  }
  return lines.join('\n')
}
