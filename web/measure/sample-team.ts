import { createPasswords } from '../../api/src/credentials/passwords.ts'
import type { NewAuditEntry } from '../../api/src/storage/model/audit.ts'
import type { Storage } from '../../api/src/storage/model/storage.ts'
import { openStores } from '../../api/src/storage/open-storage.ts'
import { ADMIN } from '../../api/test/admin.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The admins besides the one who signs in, by the days since they joined. */
const OTHERS = [
  { userName: 'maria', displayName: 'Maria', days: 61, email: 'maria@example.com', onDuty: true },
  { userName: 'jonas', displayName: 'Jonas W.', days: 40, email: 'jonas@example.com', onDuty: false },
  { userName: 'alexandra.papadopoulou', displayName: null, days: 22, email: null, onDuty: true },
] as const

/** Fills a new store with the admins, and with what the audit log says of the weeks before today. */
export async function fillSampleTeam(dataDir: string, now: number): Promise<void> {
  const { storage } = await openStores({ dataDir })
  const passwordHash = await createPasswords().hash(ADMIN.password)
  const roles = ['Admin']
  const joinedAt = now - 62 * DAY
  const anna = await storage.users.createFirst({
    ...{ userName: ADMIN.userName, passwordHash, roles, createdAt: joinedAt, displayName: 'Anna' },
  })
  const annaId = anna?._id ?? ''
  await storage.users.changeProfile(annaId, { email: 'anna@example.com' })
  const ids: Record<string, string> = { anna: annaId }
  for (const { userName, displayName, days, email, onDuty } of OTHERS) {
    const createdAt = now - days * DAY
    const user = await storage.users.create({ userName, passwordHash: '', roles, createdAt, displayName })
    ids[userName] = user?._id ?? ''
    await storage.users.changeProfile(ids[userName] ?? '', { email, onDuty })
  }
  const invitation = { inviteHash: 'a'.repeat(64), inviteExpiresAt: now + 2 * DAY }
  const invited = { userName: 'noor', displayName: 'Noor', passwordHash: '', roles, createdAt: now - DAY }
  await storage.users.create({ ...invited, ...invitation })
  for (const entry of entriesOf(ids, now)) await storage.audit.append(entry)
  await addSites(storage, now)
  await storage.close()
}

function entriesOf(ids: Record<string, string>, now: number): NewAuditEntry[] {
  const today = now - (now % DAY)
  const entry = (
    days: number,
    [action, who, details = {}]: [NewAuditEntry['action'], string | null, NewAuditEntry['details']?],
    target: string | null = null,
  ): NewAuditEntry => ({
    ...{ by: who === null ? null : (ids[who] ?? ''), action, target, details },
    ...{ address: who === null ? null : '203.0.113.0/24', at: Math.min(today - days * DAY, now) },
  })
  return [
    entry(62, ['admin.created', null, { name: ADMIN.userName }]),
    entry(61.4, ['admin.invited', 'anna', { name: 'maria' }]),
    entry(61, ['admin.joined', 'maria']),
    entry(40.2, ['admin.invited', 'anna', { name: 'jonas' }]),
    entry(40, ['admin.joined', 'jonas']),
    entry(22, ['admin.joined', 'alexandra.papadopoulou']),
    entry(8.5, ['site.created', 'anna', { name: 'Example Tutors' }], SITE_ID),
    entry(8.4, ['site-secret.created', 'anna'], SITE_ID),
    entry(5.6, ['session.started', 'maria']),
    entry(5.5, ['site.changed', 'maria', { fields: ['color', 'labelEn'] }], SITE_ID),
    entry(5.4, ['post.deleted', 'maria', { title: 'Three kinds of questions' }], '65f000000000000000000001'),
    entry(2.6, ['session.started', 'anna']),
    entry(2.55, ['settings.changed', 'anna', SETTINGS_CHANGE]),
    entry(2.5, ['factor.added', 'anna', { kind: 'passkey', name: 'Chrome on macOS' }]),
    entry(2.3, ['visitor.blocked', 'maria', { hours: 24 }], 'Wg1Ty6Hz3Nb8Cv4Xs7Mp'),
    entry(1.7, ['session.refused', 'jonas']),
    entry(1.69, ['session.started', 'jonas']),
    entry(1.6, ['conversation.exported', 'jonas'], 'Ej8Ra3Lo5Wd9Ku2Gt6Fb'),
    entry(1.2, ['admin.invited', 'anna', { name: 'noor' }]),
    entry(0.9, ['retention.ran', null, { erased: 12 }]),
    entry(0.4, ['reports.exported', 'anna']),
  ]
}

const SETTINGS_CHANGE = {
  rating: { from: false, to: true },
  retentionDays: { from: null, to: 365 },
  greeting: {},
}

const SITE_ID = 'Qh4Vn7Xb2Ze6Yk9Lm3Ta'

async function addSites(storage: Storage, now: number): Promise<void> {
  const words = { labelZh: '', otherGreetings: {}, otherLabels: {} }
  const common = { side: 'right', offsetX: 24, offsetY: 24, ...words, secrets: [], version: 1 } as const
  const sites = [
    {
      ...{ _id: SITE_ID, name: 'Example Tutors', origins: ['https://tutors.example.com'], enabled: true },
      ...{ color: '#1c5898', labelEn: 'Ask a tutor', displayName: 'Example Tutors' },
      ...{ greetingEn: 'Hi! Tell us which lesson you need, and when your exam is.', greetingZh: '' },
    },
    {
      ...{ _id: 'Rw8Ks3Dc5Tf1Gj7Np4Bx', name: 'Language school', enabled: false },
      ...{ origins: ['https://school.example.org', 'https://www.school.example.org'] },
      ...{ color: '#7a3b12', labelEn: '', displayName: '', greetingEn: '', greetingZh: '' },
    },
  ]
  for (const [index, site] of sites.entries()) {
    await storage.sites.create({ ...common, ...site, createdAt: now - (8 - index) * DAY }, 100)
  }
}
