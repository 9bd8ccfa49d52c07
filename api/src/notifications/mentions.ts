import { mentionNotification } from '@proctorpass/shared/notification-text'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import { toActivity } from '../chat/inbox-notices.ts'
import type { JobHandler } from '../jobs/jobs.ts'
import type { NewJob } from '../storage/model/jobs.ts'
import type { Storage } from '../storage/model/storage.ts'
import { isActiveAdmin } from '../storage/model/users.ts'
import { attemptsOf, forgetUntried, type Progress, type PushToDevices } from './push-to-devices.ts'

export const MENTION_KIND = 'mention'
/** The job stays this long, so that a note that its browser sends again does not notify again. */
const KEEP_MS = 60 * 60 * 1_000

interface MentionData extends Progress {
  n: number
}

/** Creates the job that notifies the mentioned admins. Null if the note mentions none. */
export function mentionJob(entry: Activity): NewJob | null {
  if (entry.kind !== 'note' || entry.data.mentions.length === 0) return null
  const { _id, clientId, n, at } = entry
  return {
    ...{ key: keyOf(_id), kind: MENTION_KIND, clientId, dueAt: Date.parse(at) },
    data: { n, done: {}, failed: {} } satisfies MentionData,
  }
}

interface MentionsDeps {
  storage: Pick<Storage, 'inbox' | 'users'>
  pushToDevices: PushToDevices
  isViewing: (userId: string, clientId: string) => boolean
  now: () => number
}

/** Notifies the admins whom a note mentions, on duty or not. */
export function createMentions({ storage, pushToDevices, isViewing, now }: MentionsDeps): JobHandler {
  return async ({ job, now: startedAt, save }) => {
    const clientId = job.clientId ?? ''
    const data = job.data as MentionData
    const { activity } = await storage.inbox.activity(clientId, { after: data.n - 1, limit: 1 })
    const [note] = activity.map(toActivity)
    if (note?.kind !== 'note' || keyOf(note._id) !== job.key) return null
    const endsAt = Date.parse(note.at) + KEEP_MS
    if (endsAt <= now()) return null
    const {
      _id,
      data: { text, mentions },
    } = note
    const users = (await storage.users.list()).filter(isActiveAdmin).map(({ _id }) => _id)
    const userIds = users.filter(
      (userId) => mentions.includes(userId) && userId !== note.by && !isViewing(userId, clientId),
    )
    const before = { ...data.failed }
    const { isOver } = await pushToDevices({
      userIds,
      since: 1,
      alert: { seq: 1, payloadFor: ({ previews }) => mentionNotification({ _id, clientId, text }, previews) },
      progress: data,
      save: () => save(data),
    })
    if (isOver) forgetUntried(data, before, Math.min(startedAt, now()))
    return { dueAt: isOver ? Math.min(...attemptsOf(data), endsAt) : now(), data }
  }
}

const keyOf = (noteId: string) => `mention:${noteId}`
