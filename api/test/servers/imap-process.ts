import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { findFreePort } from '../server-process.ts'
import { ChildServer, firstLineOf } from './child-server.ts'

export interface ImapProcess {
  /** For INBOUND_URL. */
  readonly url: string
  /** A new mail in the mailbox. */
  deliver(raw: string, options?: { arrivedAt?: Date; flags?: string[] }): Promise<void>
  /** The flags of each mail, in order of UID. */
  flags(): Promise<string[][]>
  /** The mails stay, under a new UIDVALIDITY. */
  renumber(): Promise<void>
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** On the same port, with its mails. */
  start(): Promise<void>
  /** Ends it and removes its mails. */
  close(): Promise<void>
}

const USER = 'support'
const PASSWORD = 'p/ss word'

/** Whether Dovecot is on the PATH. */
export async function hasImap(): Promise<boolean> {
  return (await firstLineOf('dovecot', '--version')) !== null
}

/** Starts a Dovecot with one empty mailbox, in a folder of its own. */
export async function startImap(): Promise<ImapProcess> {
  const port = await findFreePort()
  // Run by root, Dovecot's processes are those of its package's users, which read the folder too.
  const path = mkdtempSync('/tmp/proctorpass-imap-')
  chmodSync(path, 0o755)
  const { username } = userInfo()
  const users =
    username === 'root' ? { internal: 'dovecot', login: 'dovenull' } : { internal: username, login: username }
  const inDir = (name: string) => join(path, name)
  for (const name of ['run', 'state', 'mail']) mkdirSync(inDir(name))
  // Dovecot reads no mail as root.
  if (username === 'root') execFileSync('chown', [users.internal, inDir('mail')])
  writeFileSync(inDir('users'), `${USER}:{PLAIN}${PASSWORD}\n`)
  writeFileSync(
    inDir('dovecot.conf'),
    `
base_dir = ${inDir('run')}
state_dir = ${inDir('state')}
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = ${users.internal}
default_internal_group = ${users.internal}
default_login_user = ${users.login}
first_valid_uid = 1
mail_uid = ${users.internal}
mail_gid = ${users.internal}
mail_location = maildir:${inDir('mail')}
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${inDir('users')}
}
userdb {
  driver = static
  args = home=${inDir('mail')}
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`,
  )
  let server: ChildServer

  async function start(): Promise<void> {
    server = new ChildServer('dovecot', ['-F', '-c', inDir('dovecot.conf')], { withChildren: true })
    await server.untilReady(() => greets(port))
  }

  async function asUser<T>(run: (client: ImapFlow) => Promise<T>): Promise<T> {
    const auth = { user: USER, pass: PASSWORD }
    const client = new ImapFlow({
      host: '127.0.0.1',
      port,
      secure: false,
      doSTARTTLS: false,
      auth,
      logger: false,
    })
    client.on('error', () => {})
    await client.connect()
    try {
      return await run(client)
    } finally {
      await client.logout()
    }
  }

  await start()
  return {
    url: `imap://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/INBOX`,
    deliver: (raw, { arrivedAt, flags = [] } = {}) =>
      asUser(async (client) => {
        await client.append('INBOX', raw.replace(/\r?\n/g, '\r\n'), flags, arrivedAt)
      }),
    flags: () =>
      asUser(async (client) => {
        await client.mailboxOpen('INBOX')
        const found = await client.fetchAll('1:*', { flags: true })
        return found.map(({ flags }) => [...(flags ?? [])])
      }),
    async renumber() {
      await server.stop('SIGTERM')
      // Where Dovecot keeps the numbers of a maildir.
      writeFileSync(inDir('mail/dovecot-uidlist'), `3 V${Math.floor(Date.now() / 1_000) + 1_000} N1\n`)
      for (const name of ['dovecot.index', 'dovecot.index.log', 'dovecot.index.cache'])
        rmSync(inDir(`mail/${name}`), { force: true })
      await start()
    },
    stop: (signal = 'SIGTERM') => server.stop(signal),
    start,
    async close() {
      await server.stop('SIGTERM')
      rmSync(path, { recursive: true, force: true })
    },
  }
}

async function greets(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer')))
    const [answer] = await once(socket, 'data')
    return String(answer).startsWith('* OK')
  } finally {
    socket.destroy()
  }
}
