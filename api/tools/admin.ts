import { hostname } from 'node:os'
import { parseArgs } from 'node:util'
import { type Accounts, createAccounts } from '../src/auth/accounts.ts'
import { firstPasswordIn } from '../src/auth/first-password.ts'
import { createPasswords } from '../src/credentials/passwords.ts'
import { readStoreLocation } from '../src/env/env.ts'
import { commandLine } from '../src/installation.ts'
import { factorMailJob } from '../src/mail/factor-mails.ts'
import { nameKey } from '../src/storage/model/users.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import { problemOf } from './copying.ts'

const USAGE = `Usage: ${commandLine('admin', 'list | create NAME | reset NAME | disable NAME')}
  list     prints all admins with their state
  create   creates an admin and prints a generated password once
  reset    prints a new generated password once; also removes second factors,
           enables a disabled admin and ends an invitation
  disable  ends the admin's sessions and refuses new sign-ins
The server may be running. DATA_DIR or MONGODB_URL selects the store.`

const ACTIONS: Record<
  string,
  (accounts: Accounts, name: string) => Promise<{ userId: string; password?: string; hadFactor?: boolean }>
> = {
  create: (accounts, name) => accounts.create(name),
  reset: (accounts, name) => accounts.reset(name),
  disable: (accounts, name) => accounts.disable(name),
}

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) console.log(USAGE)
  else if (positionals.join(' ') === 'list') await list()
  else await run(positionals)
} catch (error) {
  console.error(await problemOf(error))
  process.exitCode = 1
}

async function list(): Promise<void> {
  const storage = await openStorage(readStoreLocation())
  try {
    for (const { userName, disabled, inviteHash } of await storage.users.list()) {
      console.log(`${userName}  ${disabled ? 'disabled' : inviteHash === null ? 'active' : 'invited'}`)
    }
  } finally {
    await storage.close()
  }
}

async function run([command = '', name, ...rest]: string[]): Promise<void> {
  const action = Object.hasOwn(ACTIONS, command) ? ACTIONS[command] : undefined
  if (action === undefined || name === undefined || rest.length > 0) throw new Error(USAGE)
  const place = readStoreLocation()
  const storage = await openStorage(place)
  try {
    const accounts = createAccounts({ storage, passwords: createPasswords() })
    const { userId, password, hadFactor } = await action(accounts, name)
    if (command === 'reset' && process.env.SMTP_URL) {
      // Sent by a running server, or by the next start.
      await storage.jobs.schedule(factorMailJob(userId, 'account.reset', Date.now()))
    }
    const firstAdmin = process.env.ADMIN_USERNAME || 'admin'
    if (nameKey(name) === nameKey(firstAdmin))
      await firstPasswordIn(place.dataDir).removeIfUsed(storage, name)
    // For the log, in the format of the server's lines, without the name and the password.
    const line = { level: 30, time: Date.now(), pid: process.pid, hostname: hostname(), userId }
    console.error(JSON.stringify({ ...line, msg: `admin command: ${command}` }))
    console.log(
      password === undefined
        ? `${name} is signed out everywhere and can't sign in anymore.`
        : `${name} signs in with the password ${password}\nSave it now. It won't be shown again.`,
    )
    if (hadFactor) console.log("This account's passkeys, authenticator app, and recovery codes were removed.")
  } finally {
    await storage.close()
  }
}
