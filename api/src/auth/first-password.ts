import { constants, existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Storage } from '../storage/model/storage.ts'

/**
 * Manages the file with a generated first password, for a server without a terminal to print it on.
 * @see docs/decisions/0038-secrets-and-sessions.md
 */
export function firstPasswordIn(dataDir: string) {
  /** The absolute path. */
  const path = join(dataDir, 'first-password')
  /** A missing file is no error. */
  const remove = (): Promise<void> => rm(path, { force: true })
  return {
    path,
    exists: (): boolean => existsSync(path),

    /** Writes a file that only its owner can read. Replaces the file of an interrupted start. */
    async save(password: string): Promise<void> {
      await remove()
      // The flags never follow a link and never write into a file that another user made.
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
      const file = await open(path, flags, 0o600)
      try {
        await file.writeFile(`${password}\n`)
        await file.sync()
      } catch (error) {
        await remove()
        throw error
      } finally {
        await file.close()
      }
    },

    remove,

    /** Removes the file once this admin has signed in or has another password, on this server or another one. */
    async removeIfUsed(
      { users, sessions }: Pick<Storage, 'users' | 'sessions'>,
      userName: string,
    ): Promise<void> {
      if (!existsSync(path)) return
      const user = await users.findByName(userName)
      const isUnused =
        user !== null &&
        user.credentialVersion === 0 &&
        (await sessions.listOf(user._id, Date.now())).length === 0
      if (!isUnused) await remove()
    },
  }
}

export type FirstPassword = ReturnType<typeof firstPasswordIn>

/** Returns what is printed once the server runs. `waiting` is the path of an unused first password. */
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
      "  Save it now. It won't be shown again.",
    )
  } else if (waiting !== null) {
    lines.push(
      `  Sign in at ${url}/login as ${userName}`,
      `The first password is in ${waiting}`,
      '  Only the user that runs this process can read that file. It is deleted at the first sign-in.',
    )
  }
  return lines.join('\n')
}
