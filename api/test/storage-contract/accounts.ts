import { describe, expect, it } from 'vitest'
import { ADMIN, type StoreUnderTest, T0 } from './store-under-test.ts'

const session = (index: number, userId = ADMIN) => ({
  _id: `session${index}`,
  userId,
  currentHash: 'h1',
  previousHash: null,
  createdAt: T0,
  expiresAt: T0 + 1_000,
  credentialVersion: 0,
  device: 'Chrome on Android',
  network: '203.0.113.0/24',
  usedAt: T0,
  confirmedAt: T0,
})
const use = { expiresAt: T0 + 2_000, usedAt: T0 + 9, device: null, network: '2001:db8:a::/48' }

export function describeAccounts({ storage }: StoreUnderTest): void {
  describe('users', () => {
    const user = { userName: 'Admin', passwordHash: 'hash', roles: ['Admin'], createdAt: T0 }

    it('createFirst creates one user of concurrent calls', async () => {
      const created = await Promise.all([
        storage.users.createFirst(user),
        storage.users.createFirst({ ...user, userName: 'second' }),
      ])
      expect(created.filter((record) => record !== null)).toHaveLength(1)
      expect(await storage.users.createFirst({ ...user, userName: 'third' })).toBeNull()
      expect(await storage.users.any()).toBe(true)
    })

    it('are found by name in any case or composition, and by id', async () => {
      const created = await storage.users.create({ ...user, userName: 'Zoë' })
      expect(await storage.users.findByName('ZOE\u0308')).toEqual(created)
      expect(await storage.users.findById(created?._id ?? '')).toEqual(created)
      expect(await storage.users.findByName('missing')).toBeNull()
      expect(await storage.users.findById('f'.repeat(24))).toBeNull()
    })

    it('use a factor once: of two uses of one version, and after a change of credentials, none', async () => {
      const id = (await storage.users.create(user))?._id ?? ''
      const left = (version: number, lastStep: number) => ({
        ...{ version, totp: { sealed: 'sealed', lastStep }, recovery: ['r'.repeat(43)], passkeys: [] },
      })
      const set = await storage.users.changeCredentials(id, { factors: left(1, 5), ifVersion: 0 })
      expect(set).toEqual([])
      expect(await storage.users.changeCredentials(id, { factors: left(1, 6) })).toBeNull()
      const used = await Promise.all([6, 7, 8].map((step) => storage.users.useFactor(id, left(2, step), 1)))
      expect(used.filter(Boolean)).toHaveLength(1)
      expect(await storage.users.useFactor(id, left(3, 9), 0)).toBe(false)
      expect((await storage.users.findById(id))?.factors.version).toBe(2)
      expect((await storage.users.findById(id))?.credentialVersion).toBe(1)
      expect(await storage.users.useFactor('f'.repeat(24), left(1, 9), 0)).toBe(false)
    })

    it('give a challenge to one of two at once, until it expires', async () => {
      const challenge = {
        ...{ _id: 'c'.repeat(43), userId: ADMIN, boundTo: 'b'.repeat(43), credentialVersion: 2 },
        ...{ sealed: null, expiresAt: T0 + 10 },
      }
      await storage.challenges.put(challenge, T0)
      expect(await storage.challenges.find(challenge._id, T0 + 10)).toBeNull()
      expect(await storage.challenges.take(challenge._id, T0 + 10)).toBeNull()
      const taken = await Promise.all([1, 2, 3].map(() => storage.challenges.take(challenge._id, T0 + 9)))
      expect(taken.filter((record) => record !== null)).toEqual([challenge])
    })

    it('are listed in order of creation, with what they were created with', async () => {
      const first = await storage.users.create(user)
      const invite = { displayName: 'Zoë', inviteHash: 'a hash', inviteExpiresAt: T0 + 1 }
      const second = await storage.users.create({
        ...{ ...user, ...invite, userName: 'second', createdAt: T0 + 1_000 },
      })
      expect(first).toMatchObject({ displayName: null, onDuty: true, email: null, inviteHash: null })
      expect(second).toMatchObject(invite)
      expect(await storage.users.list()).toEqual([first, second])
    })

    it('change their profile field by field, and no credentials', async () => {
      const created = await storage.users.create(user)
      const id = created?._id ?? ''
      expect(await storage.users.changeProfile(id, { displayName: 'Zoë', email: 'zoe@example.com' })).toEqual(
        {
          ...created,
          ...{ displayName: 'Zoë', email: 'zoe@example.com' },
        },
      )
      expect(await storage.users.changeProfile(id, {})).toMatchObject({ displayName: 'Zoë', onDuty: true })
      const changed = { ...created, displayName: 'Zoë', email: null, onDuty: false }
      expect(await storage.users.changeProfile(id, { onDuty: false, email: null })).toEqual(changed)
      expect(await storage.users.findById(id)).toEqual(changed)
      expect(await storage.users.changeProfile('f'.repeat(24), { onDuty: false })).toBeNull()
    })

    it('move their weekly mail only from the Monday that is stored', async () => {
      const id = (await storage.users.create(user))?._id ?? ''
      const weekly = { timeZone: 'Europe/Zurich', weeklyFrom: '2026-11-30' }
      expect(await storage.users.changeProfile(id, weekly)).toMatchObject(weekly)
      const move = () => storage.users.moveWeekly(id, '2026-11-30', '2026-12-07')
      expect((await Promise.all([move(), move()])).sort()).toEqual([false, true])
      await storage.users.changeProfile(id, { weeklyFrom: null })
      expect(await move()).toBe(false)
      expect(await storage.users.findById(id)).toMatchObject({ ...weekly, weeklyFrom: null })
    })

    it('keep the URL of their picture until it is removed', async () => {
      const created = await storage.users.create(user)
      const id = created?._id ?? ''
      expect(created?.face).toBeNull()
      const face = `/uploads/${'0a'.repeat(20)}.webp`
      expect(await storage.users.changeProfile(id, { face })).toEqual({ ...created, face })
      await storage.users.changeProfile(id, { displayName: 'Zoë' })
      expect(await storage.users.list()).toEqual([{ ...created, displayName: 'Zoë', face }])
      expect(await storage.users.changeProfile(id, { face: null })).toMatchObject({ face: null })
      expect(await storage.users.findById(id)).toMatchObject({ displayName: 'Zoë', face: null })
    })

    it('are found by their invitation until it is replaced or a password is set', async () => {
      const invite = { inviteHash: 'first', inviteExpiresAt: T0 + 1 }
      const created = await storage.users.create({ ...user, ...invite })
      const other = await storage.users.create({ ...user, userName: 'other', ...invite, inviteHash: 'other' })
      const id = created?._id ?? ''
      expect(await storage.users.findByInvite('first')).toEqual(created)
      expect(await storage.users.findByInvite('unknown')).toBeNull()
      const second = { inviteHash: 'second', inviteExpiresAt: T0 + 2 }
      await storage.users.changeCredentials(id, { invite: second, disabled: false, ifVersion: 0 })
      expect(await storage.users.findByInvite('first')).toBeNull()
      expect(await storage.users.findByInvite('second')).toEqual({
        ...created,
        ...second,
        credentialVersion: 1,
      })
      await storage.users.changeCredentials(id, { disabled: true })
      expect(await storage.users.findByInvite('second')).toMatchObject(second)
      await storage.users.changeCredentials(id, { passwordHash: 'new hash' })
      expect(await storage.users.findByInvite('second')).toBeNull()
      expect(await storage.users.findById(id)).toMatchObject({ inviteHash: null, inviteExpiresAt: null })
      expect(await storage.users.findById(other?._id ?? '')).toEqual(other)
    })

    it('are removed only while they are invited', async () => {
      const invite = { inviteHash: 'first', inviteExpiresAt: T0 + 1 }
      const created = await storage.users.create({ ...user, ...invite })
      const id = created?._id ?? ''
      expect(await storage.users.removeInvited(id)).toBe(true)
      expect(await storage.users.findById(id)).toBeNull()
      expect(await storage.users.removeInvited(id)).toBe(false)
      const joined = await storage.users.create({ ...user, ...invite })
      await storage.users.changeCredentials(joined?._id ?? '', { passwordHash: 'new hash' })
      expect(await storage.users.removeInvited(joined?._id ?? '')).toBe(false)
      expect(await storage.users.findByName(user.userName)).toMatchObject({ passwordHash: 'new hash' })
    })

    it('are disabled while another admin is active', async () => {
      const created = await storage.users.create(user)
      const id = created?._id ?? ''
      expect(await storage.users.disable('f'.repeat(24))).toEqual({ outcome: 'missing' })
      const others = [
        { ...user, userName: 'invited', inviteHash: 'hash', inviteExpiresAt: T0 },
        { ...user, userName: 'no admin', roles: [] },
        { ...user, userName: 'disabled' },
      ]
      for (const other of others) await storage.users.create(other)
      const disabled = await storage.users.findByName('disabled')
      await storage.sessions.create({ ...session(1, disabled?._id), credentialVersion: 0 })
      expect(await storage.users.disable(disabled?._id ?? '')).toEqual({
        ...{ outcome: 'disabled', ended: ['session1'] },
      })
      expect(await storage.users.findByName('disabled')).toEqual({
        ...{ ...disabled, disabled: true, credentialVersion: 1 },
      })
      expect(await storage.users.disable(id)).toEqual({ outcome: 'last' })
      expect(await storage.users.findById(id)).toEqual(created)
      await storage.users.changeCredentials(disabled?._id ?? '', { disabled: false })
      expect(await storage.users.disable(id)).toMatchObject({ outcome: 'disabled' })
    })

    it('are not all disabled by concurrent calls', async () => {
      const names = ['one', 'two', 'three', 'four']
      for (const userName of names) await storage.users.create({ ...user, userName })
      const all = await storage.users.list()
      const done = await Promise.all(all.map(({ _id }) => storage.users.disable(_id)))
      expect(done.filter(({ outcome }) => outcome === 'disabled')).toHaveLength(3)
      expect((await storage.users.list()).filter(({ disabled }) => !disabled)).toHaveLength(1)
      // Nothing is left of the calls: an admin who is enabled again can be disabled again.
      const [first] = (await storage.users.list()).filter(({ disabled }) => disabled)
      await storage.users.changeCredentials(first?._id ?? '', { disabled: false })
      expect(await storage.users.disable(first?._id ?? '')).toMatchObject({ outcome: 'disabled' })
    })

    it('have unique names', async () => {
      await storage.users.create(user)
      expect(await storage.users.create({ ...user, userName: 'admin' })).toBeNull()
    })

    it('replace a password hash only when it is the stored one', async () => {
      const created = await storage.users.create(user)
      const replace = (from: string, to: string) =>
        storage.users.replacePasswordHash(created?._id ?? '', from, to)
      expect(await replace('wrong', 'new hash')).toBe(false)
      expect(await storage.users.findByName('admin')).toEqual(created)
      expect(await replace(user.passwordHash, 'new hash')).toBe(true)
      expect(await storage.users.findByName('admin')).toEqual({ ...created, passwordHash: 'new hash' })
    })

    it('change credentials and increment the version, and nothing else', async () => {
      const created = await storage.users.create(user)
      const other = await storage.users.create({ ...user, userName: 'other' })
      const id = created?._id ?? ''
      expect(created).toMatchObject({ disabled: false, credentialVersion: 0, keptSessionId: null })
      expect(await storage.users.changeCredentials(id, { disabled: true })).toEqual([])
      const disabled = { ...created, disabled: true, credentialVersion: 1 }
      expect(await storage.users.findByName('admin')).toEqual(disabled)
      const change = { passwordHash: 'new hash', keepSessionId: 'session1' }
      expect(await storage.users.changeCredentials(id, { ...change, ifVersion: 0 })).toBeNull()
      expect(await storage.users.findByName('admin')).toEqual(disabled)
      expect(await storage.users.changeCredentials(id, { ...change, ifVersion: 1 })).toEqual([])
      expect(await storage.users.findById(id)).toEqual({
        ...disabled,
        ...{ passwordHash: 'new hash', keptSessionId: 'session1', credentialVersion: 2 },
      })
      await storage.users.changeCredentials(id, { disabled: false })
      expect(await storage.users.findById(id)).toMatchObject({ disabled: false, keptSessionId: null })
      expect(await storage.users.findById(other?._id ?? '')).toEqual(other)
      expect(await storage.users.changeCredentials('f'.repeat(24), { disabled: true })).toBeNull()
    })

    it('accept one of two concurrent changes of the same version', async () => {
      const id = (await storage.users.create(user))?._id ?? ''
      const changed = await Promise.all(
        ['one', 'two'].map((passwordHash) =>
          storage.users.changeCredentials(id, { passwordHash, ifVersion: 0 }),
        ),
      )
      expect(changed.filter((ended) => ended !== null)).toEqual([[]])
      expect(await storage.users.findById(id)).toMatchObject({ credentialVersion: 1 })
    })
  })

  describe('sessions', () => {
    it('are found until they expire', async () => {
      await storage.sessions.create(session(1))
      expect(await storage.sessions.find('session1', T0)).toEqual(session(1))
      expect(await storage.sessions.find('session1', T0 + 1_000)).toBeNull()
      expect(await storage.sessions.find('session2', T0)).toBeNull()
    })

    it('rotate once from one token for concurrent calls', async () => {
      await storage.sessions.create(session(1))
      const rotated = await Promise.all([
        storage.sessions.rotate('session1', 'h1', 'h2', use),
        storage.sessions.rotate('session1', 'h1', 'h3', use),
      ])
      expect(rotated.filter((isRotated) => isRotated)).toHaveLength(1)
      expect(await storage.sessions.find('session1', T0)).toMatchObject({
        currentHash: rotated[0] ? 'h2' : 'h3',
        previousHash: 'h1',
        ...use,
        confirmedAt: T0,
      })
      expect(await storage.sessions.rotate('gone', 'h1', 'h2', use)).toBe(false)
    })

    it('are confirmed until they end', async () => {
      await storage.sessions.create(session(1))
      expect(await storage.sessions.confirm('session1', T0 + 5)).toBe(true)
      expect(await storage.sessions.find('session1', T0)).toEqual({ ...session(1), confirmedAt: T0 + 5 })
      await storage.sessions.end('session1')
      expect(await storage.sessions.confirm('session1', T0 + 6)).toBe(false)
      expect(await storage.sessions.find('session1', T0)).toBeNull()
    })

    it('end singly, all but one, or when expired', async () => {
      const user = await storage.users.create({
        ...{ userName: 'admin', passwordHash: 'hash', roles: [], createdAt: T0 },
      })
      const id = user?._id ?? ''
      for (const index of [1, 2, 3]) await storage.sessions.create(session(index, id))
      await storage.sessions.create(session(4, 'b'.repeat(24)))
      await storage.sessions.end('session1')
      expect(await storage.sessions.find('session1', T0)).toBeNull()
      const change = { passwordHash: 'new hash', keepSessionId: 'session3' }
      expect(await storage.users.changeCredentials(id, change)).toEqual(['session2'])
      expect(await storage.sessions.find('session2', T0)).toBeNull()
      expect(await storage.sessions.find('session3', T0)).toEqual(session(3, id))
      expect(await storage.sessions.find('session4', T0)).not.toBeNull()
      await storage.sessions.sweep(T0 + 1_000)
      expect(await storage.sessions.find('session3', T0)).toBeNull()
    })

    it('are listed for their user until they expire, newest first', async () => {
      await storage.sessions.create(session(1))
      await storage.sessions.create({ ...session(2), createdAt: T0 + 5 })
      await storage.sessions.create({ ...session(3), expiresAt: T0 + 1 })
      await storage.sessions.create(session(4, 'b'.repeat(24)))
      expect(await storage.sessions.listOf(ADMIN, T0 + 1)).toEqual([
        { ...session(2), createdAt: T0 + 5 },
        session(1),
      ])
      expect(await storage.sessions.listOf('c'.repeat(24), T0)).toEqual([])
    })

    it('are listed up to the newest hundred', async () => {
      for (let index = 0; index < 105; index++) {
        await storage.sessions.create({ ...session(index), createdAt: T0 + index })
      }
      const listed = (await storage.sessions.listOf(ADMIN, T0)).map(({ _id }) => _id)
      expect(listed).toEqual(Array.from({ length: 100 }, (_, index) => `session${104 - index}`))
    })
  })
}
