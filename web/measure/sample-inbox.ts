import type { Storage } from '../../api/src/storage/model/storage.ts'
import { openStores } from '../../api/src/storage/open-storage.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Sample {
  clientId: string
  /** Negative: minutes before now. An admin's messages begin with `> `, notes with `# `. */
  words: [minutes: number, text: string][]
  name?: string
  email?: string
  /** Hours from now. */
  examIn?: number
  timeZone?: string
  labels?: string[]
  status?: 'snoozed' | 'resolved'
}

const SAMPLES: Sample[] = [
  {
    clientId: 'h7Qm2Zr9TfKc4Vn8Xb3W',
    name: 'Amara Okafor',
    email: 'amara@example.com',
    examIn: 3,
    timeZone: 'Africa/Lagos',
    labels: ['Camera', 'Exam today'],
    words: [
      [-34, 'Hello, my exam is this afternoon and the system check says it cannot find my camera.'],
      [-31, '> Hi Amara, we will get this working before you start. Which browser do you use?'],
      [-30, 'Chrome on a MacBook. It worked yesterday.'],
      [-28, '# @maria she has three hours. If the permission is not it, call her.'],
      [
        -26,
        '> Please open Chrome’s settings, then Privacy, then Camera, and check that the exam site is allowed.',
      ],
      [-4, 'It is allowed, but the picture stays black. What else can I try?'],
    ],
  },
  {
    clientId: 'Lp3Wd8Hs6Jq1Yx5Rt9Ne',
    name: 'Wei Chen',
    examIn: 20,
    timeZone: 'Asia/Shanghai',
    labels: ['Room scan'],
    words: [[-12, 'Hello, my exam is tomorrow. May there be two monitors in the room?']],
  },
  {
    clientId: 'Zt6Bk1Mv4Gx9Qa7Ed2Uo',
    labels: ['Refund'],
    words: [
      [-190, 'I paid twice for the same session.'],
      [-180, '> Thanks for telling us. We have found both payments and are refunding one of them.'],
      [-55, 'Great, how long does that take?'],
    ],
  },
  {
    clientId: 'Yc5Nf2Kw8Lr3Ps6Ht1Vj',
    name: 'Jonas Weber',
    timeZone: 'Europe/Berlin',
    words: [
      [-300, 'Do I need a passport or is a student card enough?'],
      [-290, '> Most exams ask for a government ID. Your confirmation email lists which ones.'],
      [-288, 'ok thanks'],
    ],
  },
  {
    clientId: 'Rb9Ux4Dc7Sm2Fj5Kq8Lw',
    words: [[-2, 'Is somebody there? My proctor has disconnected.']],
    examIn: 0.2,
    name: 'Lucía',
    timeZone: 'America/Bogota',
  },
  {
    clientId: 'Wg1Ty6Hz3Nb8Cv4Xs7Mp',
    name: 'Priya',
    status: 'snoozed',
    words: [
      [-1_500, 'I will send you the confirmation tomorrow.'],
      [-1_490, '> Perfect, talk to you then.'],
    ],
  },
  {
    clientId: 'Ej8Ra3Lo5Wd9Ku2Gt6Fb',
    status: 'resolved',
    words: [
      [-2_900, 'The session went well, thank you!'],
      [-2_890, '> Glad to hear it. Good luck with the result.'],
    ],
  },
]

/** Fills the store of a stopped server with conversations such as admins see on a usual day. */
export async function fillSampleInbox(dataDir: string, now: number): Promise<void> {
  const { storage } = await openStores({ dataDir })
  const [admin] = await storage.users.list()
  const userId = admin?._id ?? ''
  await storage.users.changeProfile(userId, { displayName: 'Anna' })
  const maria = { userName: 'maria', passwordHash: '', roles: ['Admin'], createdAt: now }
  const mariaId = (await storage.users.create(maria))?._id ?? ''
  await storage.users.changeProfile(mariaId, { displayName: 'Maria' })
  for (const sample of SAMPLES) await add(storage, sample, now, userId, mariaId)
  await storage.close()
}

async function add(storage: Storage, sample: Sample, now: number, userId: string, mariaId: string) {
  const { clientId, words, examIn, name = null, email = null, timeZone = null, labels, status } = sample
  let count = 0
  for (const [minutes, text] of words) {
    const at = now + minutes * MINUTE
    count += 1
    const nonce = `sample-${clientId}-${count}`
    if (text.startsWith('# ')) {
      await storage.inbox.addNote({
        clientId,
        nonce,
        by: userId,
        text: text.slice(2),
        mentions: [mariaId],
        at,
      })
      continue
    }
    const fromAdmin = text.startsWith('> ')
    await storage.messages.append({
      clientId,
      senderId: fromAdmin ? userId : clientId,
      message: fromAdmin ? text.slice(2) : text,
      nonce,
      at,
    })
    if (fromAdmin) await storage.conversations.markRead(clientId, 'admin', Number.MAX_SAFE_INTEGER)
    if (count > 1) continue
    const examAt = examIn === undefined ? null : now + examIn * HOUR
    const device = 'Chrome on macOS'
    const profile = { name, email, timeZone, examAt, device, locale: 'en-GB', page: '/faq' }
    await storage.visitors.update(clientId, profile, { by: null, at })
    if (labels !== undefined) await storage.inbox.change(clientId, { labels }, { by: mariaId, at })
  }
  const at = now + (words.at(-1)?.[0] ?? 0) * MINUTE
  if (status === 'resolved') await storage.inbox.change(clientId, { status }, { by: userId, at })
  if (status === 'snoozed') {
    await storage.inbox.change(clientId, { status, snoozedUntil: now + 18 * HOUR }, { by: userId, at })
  }
}
