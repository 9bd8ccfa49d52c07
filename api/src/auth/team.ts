import type { AuditAction } from '@proctorpass/shared/audit'
import { AppError, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { unusablePassword } from '@proctorpass/shared/fields/password'
import { PROFILE_FIELDS, USER_NAME_FIELD } from '@proctorpass/shared/fields/team'
import { INVITE_HOURS, TEAM_MAX } from '@proctorpass/shared/limits'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import type {
  AcceptInvite,
  ChangeAdmin,
  InviteAdmin,
  InvitedAdmin,
  InviteToken,
  Team,
  TeamAdmin,
} from '@proctorpass/shared/schemas/team'
import { type Actor, auditEntry } from '../audit/entry.ts'
import { passwordProblem } from '../credentials/password-rules.ts'
import { generatePassword, type Passwords } from '../credentials/passwords.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Invitation, UserRecord } from '../storage/model/users.ts'
import type { Auth } from './auth.ts'
import type { AdminCaller } from './caller.ts'
import { outlineOf } from './look-alikes.ts'
import { hashOfToken, randomToken } from './session-tokens.ts'
import type { Requester, SignedInUser } from './sessions.ts'
import type { SignInLimits } from './sign-in-limits.ts'

const INVITED_MS = INVITE_HOURS * 60 * 60 * 1_000

interface TeamDeps {
  storage: Storage
  auth: Pick<Auth, 'sessions' | 'start'>
  passwords: Passwords
  limits: SignInLimits
  publicUrl: string
  /** Mails an invitation, and returns whether the mail server took it. Null without a mail server. */
  mailInvitation: ((invitation: MailedInvitation) => Promise<boolean>) | null
  /** Throws an AppError `rate-limited` if the admin mails invitations too often. */
  takeInvitation: (userId: string) => Promise<unknown>
  /** Milliseconds since 1970 UTC. */
  now: () => number
}

export interface MailedInvitation {
  /** Identifies the invitation: a new link has another one. */
  id: string
  to: string
  userName: string
  /** The name of the admin who invites. */
  invitedBy: string
  /** The link, which is a secret. */
  url: string
}

/** The use cases for all admins together. */
export function createTeam(deps: TeamDeps) {
  const { storage, auth, passwords, limits, publicUrl, mailInvitation, takeInvitation, now } = deps
  const { users } = storage
  let isOnline: (userId: string) => boolean | Promise<boolean> = auth.sessions.usedOfLate

  async function shown(user: UserRecord, you: string): Promise<TeamAdmin> {
    const { _id: userId, userName, displayName, onDuty, disabled, inviteHash, face } = user
    const [online, invited] = [await isOnline(userId), inviteHash !== null]
    return { userId, userName, displayName, online, onDuty, disabled, invited, face, you: userId === you }
  }

  async function all(): Promise<UserRecord[]> {
    return (await users.list()).filter(({ roles }) => roles.includes(ADMIN_ROLE))
  }

  async function find(userId: string): Promise<UserRecord> {
    const user = await users.findById(userId)
    if (user === null || !user.roles.includes(ADMIN_ROLE)) throw new AppError('not-found', 'Admin not found.')
    return user
  }

  async function findInvited({ token, address }: InviteToken & { address: string }): Promise<UserRecord> {
    const inviteHash = hashOfToken(token)
    const attempt = await limits.begin({ address, knownUserId: null })
    const user = await users.findByInvite(inviteHash)
    if (user === null || user.disabled || (user.inviteExpiresAt ?? 0) <= now()) throw unknownInvite()
    // Only guessed tokens count as failures.
    await attempt.succeeded()
    return user
  }

  async function mustBeDistinct(userName: string): Promise<void> {
    const outline = outlineOf(userName)
    if ((await users.list()).some((user) => outlineOf(user.userName) === outline)) {
      throw fieldError('userName', 'This username looks like another one', { code: 'conflict' })
    }
  }

  /**
   * Adds an admin, or invites an invited one again. Null if the name is taken, also by an admin who has just accepted
   * an invitation.
   */
  async function addOrInviteAgain(
    userName: string,
    displayName: string | null | undefined,
    invite: Invitation,
    admin: AdminCaller,
  ): Promise<UserRecord | null> {
    const known = await users.findByName(userName)
    if (known === null) {
      if ((await all()).length >= TEAM_MAX) {
        throw new AppError('conflict', `A team can have up to ${TEAM_MAX} admins.`)
      }
      await mustBeDistinct(userName)
      const passwordHash = await passwords.hash(generatePassword())
      const user = { userName, passwordHash, roles: [ADMIN_ROLE], createdAt: now(), ...invite }
      const entry = auditEntry(admin, 'admin.invited', { details: { name: userName } })
      return withEntry(entry, () => users.create({ ...user, displayName: displayName ?? null }))
    }
    if (known.inviteHash === null) return null
    const ifVersion = known.credentialVersion
    const changed = await withEntry(auditOf(admin, 'admin.invited', known), () =>
      users.changeCredentials(known._id, { invite, disabled: false, ifVersion }),
    )
    return changed === null ? null : users.changeProfile(known._id, { displayName })
  }

  async function mail(to: string, { userName, inviteHash }: UserRecord, admin: AdminCaller, url: string) {
    const inviter = await users.findById(admin.userId)
    if (mailInvitation === null || inviter === null) return false
    const invitedBy = inviter.displayName ?? inviter.userName
    return mailInvitation({ id: `invitation ${inviteHash}`, to, userName, invitedBy, url })
  }

  const auditOf = (actor: Actor, action: AuditAction, { _id, userName }: UserRecord) =>
    auditEntry(actor, action, { target: _id, details: { name: userName } })

  return {
    async list({ userId }: AdminCaller): Promise<Team> {
      return { admins: await Promise.all((await all()).map((user) => shown(user, userId))) }
    },

    /**
     * Adds an admin who cannot sign in before they follow the link. If the admin is already invited, the link replaces
     * the previous one, and the display name is changed if it is given. With an address, the link is also mailed; if
     * that fails, the invitation stays.
     * Throws an AppError `invalid-input`, `rate-limited`, or `conflict` if the name is taken or the team is full.
     */
    async invite(admin: AdminCaller, { userName, displayName, email }: InviteAdmin): Promise<InvitedAdmin> {
      const fields = { userName: USER_NAME_FIELD, ...PROFILE_FIELDS }
      const cleaned = checkFields(fields, { userName, displayName, email } as {
        userName: string
        displayName?: string
        email?: string
      })
      if (cleaned.email !== undefined && mailInvitation !== null) await takeInvitation(admin.userId)
      const token = randomToken()
      const invite = { inviteHash: hashOfToken(token), inviteExpiresAt: now() + INVITED_MS }
      const name = displayName === null ? null : cleaned.displayName
      const user = await addOrInviteAgain(cleaned.userName, name, invite, admin)
      if (user === null) throw fieldError('userName', 'This username is taken', { code: 'conflict' })
      const link = `${publicUrl}/invite#${token}`
      const mailed = cleaned.email !== undefined && (await mail(cleaned.email, user, admin, link))
      return { admin: await shown(user, admin.userId), invite: link, mailed }
    },

    /** Throws an AppError `not-found`, `conflict` for the last active admin, and `invalid-input`. */
    async change(
      admin: AdminCaller,
      userId: string,
      { displayName, disabled }: ChangeAdmin,
    ): Promise<TeamAdmin> {
      const cleaned = checkFields({ displayName: PROFILE_FIELDS.displayName }, { displayName } as {
        displayName?: string
      })
      const before = await find(userId)
      if (disabled === true && !before.disabled) {
        const { outcome } = await withEntry(auditOf(admin, 'admin.disabled', before), () =>
          auth.sessions.disable(userId),
        )
        if (outcome === 'last') {
          throw new AppError('conflict', "The last active admin can't be disabled.")
        }
      }
      if (disabled === false && before.disabled) {
        await withEntry(auditOf(admin, 'admin.enabled', before), () =>
          auth.sessions.changeCredentials(userId, { disabled: false }),
        )
      }
      const name = displayName === null ? null : cleaned.displayName
      if (name !== undefined && name !== before.displayName) {
        await withEntry(auditOf(admin, 'admin.renamed', before), () =>
          users.changeProfile(userId, { displayName: name }),
        )
      }
      return shown(await find(userId), admin.userId)
    },

    /**
     * Removes an admin who has not used the invitation. Throws an AppError `not-found`, or `conflict` for an admin who
     * has used it: they can be disabled.
     */
    async remove(admin: AdminCaller, userId: string): Promise<void> {
      const user = await find(userId)
      const entry = auditOf(admin, 'admin.removed', user)
      if (await withEntry(entry, () => users.removeInvited(userId))) return
      throw new AppError('conflict', `${user.userName} has joined the team. You can disable them.`)
    },

    /** Returns the user name that an invitation is for. Throws an AppError `not-found` as `acceptInvite` does. */
    async invitedName(input: InviteToken & { address: string }): Promise<string> {
      return (await findInvited(input)).userName
    },

    /**
     * Sets an invited admin's password and signs them in, once for each link. Throws an AppError `not-found` for an
     * unknown, used, or old link, and `invalid-input` for a password that cannot be used, which leaves the link valid.
     */
    async acceptInvite({
      token,
      password,
      requester,
    }: AcceptInvite & { requester: Requester }): Promise<SignedInUser> {
      const { address } = requester
      const user = await findInvited({ token, address })
      const problem = passwordProblem(password, user.userName)
      if (problem !== null) throw fieldError('password', unusablePassword(problem))
      const passwordHash = await passwords.hash(password)
      const entry = auditOf({ userId: user._id, address }, 'admin.joined', user)
      const accepted = await withEntry(entry, () =>
        auth.sessions.changeCredentials(user._id, {
          passwordHash,
          // This refuses the later one of two requests: the invitation was used, replaced, or withdrawn since it was
          // read.
          ifVersion: user.credentialVersion,
        }),
      )
      const current = accepted ? await users.findById(user._id) : null
      const signedIn = current === null ? null : await auth.start(current, requester)
      if (signedIn === null) throw unknownInvite()
      return signedIn
    },

    /** Returns whether the admin has the dashboard open. */
    isOnline: (userId: string) => isOnline(userId),

    /** Takes from `follow` which admins are online. Until this is called, the use of their sessions decides. */
    followPresence(follow: (userId: string) => boolean): void {
      isOnline = follow
    },
  }
}

export type TeamUseCases = ReturnType<typeof createTeam>

function unknownInvite(): AppError {
  return new AppError('not-found', "This invitation isn't valid anymore. Ask an admin for a new link.")
}
