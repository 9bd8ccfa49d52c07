import { expect, it } from 'vitest'
import type { JobRun } from '../jobs/jobs.ts'
import { newId } from '../storage/model/ids.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { createWaitingMails, waitingMailJob } from './waiting-mails.ts'

const VISITOR = 'Visitor0000000000001'

it('mails once about a message that came between an alert and its mail', async () => {
  const storage = openSqlite(':memory:')
  const write = () =>
    storage.messages.append({
      ...{ clientId: VISITOR, senderId: VISITOR, message: 'Hello?', nonce: newId(), at: Date.now() },
    })
  const mailed: string[] = []
  const mailAdmins = async ({ id }: { id: string }) => {
    mailed.push(id)
    return 'sent' as never
  }
  const handle = createWaitingMails({ storage, mailAdmins, now: Date.now })
  const run = (data: unknown, revision: number) =>
    handle({ job: { ...waitingMailJob(VISITOR, 0), data, revision } } as unknown as JobRun)

  await write()
  await write()
  const after = await run(waitingMailJob(VISITOR, 0).data, 1)
  // The second message has an alert of its own, which schedules the job again.
  expect(await run(after?.data, 2)).toBeNull()
  expect(mailed).toHaveLength(1)
  await write()
  // Only an alert mails about the third one, not the job that has stayed.
  expect(await run(after?.data, 1)).toBeNull()
  expect(mailed).toHaveLength(1)
  await run(after?.data, 2)
  expect(new Set(mailed).size).toBe(2)
  await storage.close()
})
