import { REPLY_FIELDS } from '@proctorpass/shared/fields/reply'
import { REPLIES_MAX } from '@proctorpass/shared/limits'
import type { ReplyRecord } from '../storage/model/replies.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { ForeignReply } from './foreign.ts'
import type { ImportIds } from './import-ids.ts'
import type { LeftOutList } from './left-out.ts'
import { plainText } from './plain-text.ts'

/** Our variables by those of other products. */
const VARIABLES: Readonly<Record<string, string>> = {
  'contact.name': 'visitor.name',
  'contact.first_name': 'visitor.name',
  'visitor.nickname': 'visitor.name',
  'user.nickname': 'visitor.name',
  'agent.name': 'admin.name',
  'agent.first_name': 'admin.name',
  'operator.nickname': 'admin.name',
}

interface ReplyDeps {
  replies: Pick<Storage['replies'], 'list' | 'create' | 'remove'>
  ids: ImportIds
  leftOut: LeftOutList
  now: number
  isDryRun: boolean
}

/** Adds and removes canned replies. Each function returns how many it changed, which is 1 or 0. */
export async function createReplyImport({ replies, ids, leftOut, now, isDryRun }: ReplyDeps) {
  const known = new Map((await replies.list()).map((reply) => [reply.shortcut, reply]))

  return {
    async add(foreign: ForeignReply): Promise<number> {
      const { place } = foreign
      const { shortcut, text } = replyOf(foreign)
      const problem = REPLY_FIELDS.shortcut.problem(shortcut) ?? REPLY_FIELDS.text.problem(text)
      if (problem !== null) {
        leftOut.add(place, problem)
        return 0
      }
      const _id = ids.replyId(foreign.shortcut)
      const taken = known.get(shortcut)
      if (taken?._id === _id || taken?.text === text) return 0
      if (taken !== undefined) {
        leftOut.add(place, `Another canned reply has the shortcut ${shortcut}`)
        return 0
      }
      if ([...known.values()].some((reply) => reply._id === _id)) return 0
      const reply: ReplyRecord = { _id, shortcut, text, version: 1 }
      if (!isDryRun) {
        const { outcome } = await replies.create({ shortcut, text, createdAt: now, _id }, REPLIES_MAX)
        if (outcome !== 'stored') {
          leftOut.add(place, `There are already ${REPLIES_MAX} canned replies`)
          return 0
        }
      }
      known.set(shortcut, reply)
      return 1
    },

    async remove(foreign: ForeignReply): Promise<number> {
      const _id = ids.replyId(foreign.shortcut)
      const found = [...known.values()].find((reply) => reply._id === _id)
      if (found === undefined) return 0
      if (found.version > 1) {
        leftOut.add(foreign.place, 'It was changed after the import, so it stays')
        return 0
      }
      return (await replies.remove(_id)) ? 1 : 0
    },
  }
}

function replyOf({ shortcut, text }: ForeignReply): { shortcut: string; text: string } {
  const plain = shortcut
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mn}/gu, '')
  return {
    shortcut: plain
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-/, '')
      .slice(0, 40)
      .replace(/-$/, ''),
    text: plainText(text).replace(/\{\{\s*([\w.]+)\s*\}\}/g, (variable, name: string) => {
      const ours = VARIABLES[name]
      return ours === undefined ? variable : `{{${ours}}}`
    }),
  }
}
