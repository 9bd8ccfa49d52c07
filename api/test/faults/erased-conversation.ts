import { setTimeout as pause } from 'node:timers/promises'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { CALL_HEADER } from '@proctorpass/shared/call-name'
import { paths } from '@proctorpass/shared/paths'
import { createAdminChat } from '../../../web/src/chat/engine/admin-chat.ts'
import { createVisitorChat } from '../../../web/src/chat/engine/chat.ts'
import { newNonce } from '../../../web/src/chat/engine/outbox.ts'
import { encoded, filesOf } from '../../../web/src/chat/engine/testing/attachments.ts'
import { Browser } from '../../../web/src/chat/engine/testing/browser.ts'
import { restOf } from '../../../web/src/chat/engine/testing/people.ts'
import type { Conversation } from '../../../web/src/chat/engine/types.ts'
import { ensureVisitor } from '../../../web/src/chat/engine/visitor.ts'
import { isOurs, newCall } from '../../../web/src/lib/api.ts'
import { API_PREFIX, newId, signInWhenReady } from '../chat-client.ts'
import { pdf } from './files.ts'
import type { Ledger } from './ledger.ts'

/** Everything that is erased contains this. The search index stores beginnings of six characters. */
export const MARK = 'zqxjvkerased'
/** What each conversation leaves in the figures of reports: of the history with the mark, and of the late message. */
export const ERASED_FIGURES = {
  ...{ conversations: 2, episodes: 2, resolved: 1, missed: 0, messagesIn: 3, messagesOut: 1 },
  ...{ firstWait: 1, wait: 1, resolution: 1, ratings: 1 },
}
/** How often each of them is erased. */
export const ERASED_TIMES = 2
const CONFIG = { transport: 'push', pollMs: 400, unreadPollMs: 1_000 } as const
/** More than a start and an index on a busy machine. */
const WITHIN_MS = 120_000
const ANSWER_MS = 20_000
const DAY_MS = 24 * 3_600_000
/** The admin's reply comes after the visitor's two messages. */
const REPLY_SEQ = 3

/** The network between a browser and a server. Between `refuse` and `accept`, nothing gets through. */
export interface Way {
  readonly origin: string
  refuse(): void
  accept(): void
  close(): void
}

export interface ErasedScene {
  ledger: Ledger
  /** The origins of the nodes. The visitor uses the first one, and the admin the last one. */
  origins: readonly string[]
  /** Where the admin signs in. */
  signedInAt: string
  openWay: (origin: string) => Promise<Way>
}

/**
 * A visitor and an admin write a conversation with the mark in every part of it, which is to be erased. What was typed
 * before, and not sent: the visitor's message begins the next history. The admin's reply is refused, or held for review
 * when the next history has begun. The people of the crowd leave the conversation alone.
 */
export async function beginErased(scene: ErasedScene, backFirst: 'visitor' | 'admin') {
  const { ledger, origins, openWay } = scene
  const [here, there] = [origins[0] ?? '', origins.at(-1) ?? '']
  const { accessToken, user_Id: userId } = await signInWhenReady(scene.signedInAt)
  const devices = { visitor: new Browser(), admin: new Browser() }
  const tabs = { visitor: devices.visitor.open(), admin: devices.admin.open() }
  const visitor = await ensureVisitor(tabs.visitor)
  const { clientId } = visitor
  ledger.apart.add(clientId)
  const credentials = { visitor: `Visitor ${visitor.key}`, admin: `Bearer ${accessToken}` }
  const wrong = (text: string) => ledger.violation(`erasing ${clientId}: ${text}`)

  const ways = { visitor: await openWay(here), admin: await openWay(there) }
  const [near, far] = [ways.visitor.origin, ways.admin.origin]
  const visitorChat = createVisitorChat({
    ...{ config: CONFIG, visitor, tab: tabs.visitor, origin: near, request: restOf(near).request },
    openAttachments: filesOf(near, devices.visitor.files),
  })
  const adminChat = createAdminChat({
    ...{ config: CONFIG, userId, tab: tabs.admin, origin: far, getToken: async () => accessToken },
    request: restOf(far, accessToken).request,
    openAttachments: filesOf(far, devices.admin.files, accessToken),
  })
  const views = { visitor: visitorChat.conversation, admin: adminChat.conversation(clientId) }
  visitorChat.start()
  adminChat.start()
  views.admin.start()

  /** The server's answer, or null without one. */
  async function ask(
    origin: string,
    who: keyof typeof credentials,
    method: string,
    path: string,
    body?: object,
  ) {
    const call = newCall(method === 'GET' ? undefined : method)
    const headers = new Headers({ authorization: credentials[who], [CALL_HEADER]: call.name })
    const form = body instanceof FormData ? await encoded(body) : null
    if (body !== undefined)
      headers.set('content-type', form?.headers.get('content-type') ?? 'application/json')
    const sent = body === undefined ? {} : { body: form?.body ?? JSON.stringify(body) }
    const signal = AbortSignal.timeout(ANSWER_MS)
    return fetch(origin + API_PREFIX + path, { method, headers, signal, ...sent }).then(
      async (answer) => (isOurs(call, answer) ? { status: answer.status, text: await answer.text() } : null),
      () => null,
    )
  }
  /** Asks again while the node or its store is not ready. */
  async function askUntilAnswered(
    ...asked: Parameters<typeof ask>
  ): Promise<{ status: number; text: string }> {
    let answer: Awaited<ReturnType<typeof ask>> = null
    await until(
      ledger,
      () => `${asked[3]} is not answered`,
      async () => {
        answer = await ask(...asked)
        return answer !== null && answer.status < 500
      },
    )
    return answer ?? { status: 0, text: '' }
  }
  async function mustStore(...asked: Parameters<typeof ask>): Promise<void> {
    const { status, text } = await askUntilAnswered(...asked)
    if (status >= 300) wrong(`${asked[3]} was answered with ${status} ${text}`)
  }
  const shows = (view: Conversation, ...wanted: string[]) =>
    until(
      ledger,
      () => `${clientId} shows "${textsOf(view)}" and not "${wanted}"`,
      () => textsOf(view).join() === wanted.join(),
    )
  const waits = (pending: string) =>
    until(
      ledger,
      () => `${clientId} waits with "${pendingOf(views.admin)}" and not with "${pending}"`,
      () => pendingOf(views.admin) === pending,
    )
  function comeBack(who: keyof typeof tabs): void {
    ways[who].accept()
    tabs[who].goOnline()
  }

  views.visitor.send(`${MARK} hello`)
  const nonce = newNonce()
  const name = `${MARK} ${nonce}.pdf`
  const file = new Blob([pdf(`${MARK} ${nonce}`)], { type: 'application/pdf' })
  await (await views.visitor.openAttachments()).keep(nonce, file)
  const files = [{ nonce, name, type: 'application/pdf', bytes: file.size }] as const
  views.visitor.send(`${MARK} file`, files)
  await until(
    ledger,
    () => `${clientId} does not show its file`,
    () => {
      // A full disk may have refused the file.
      for (const { nonce, state } of views.visitor.getState().pending) {
        if (state === 'refused') views.visitor.retry(nonce)
      }
      return textsOf(views.admin).join() === `${MARK} hello,${MARK} file`
    },
  )
  views.admin.send(`${MARK} reply`)
  await shows(views.visitor, `${MARK} hello`, `${MARK} file`, `${MARK} reply`)
  const [first, withFile] = views.visitor.getState().messages
  const fileId = withFile?.attachments?.[0]?._id ?? ''
  const form = new FormData()
  form.set('nonce', newNonce())
  form.set('file', new Blob([pdf(`${MARK} unsent`)]), `unsent ${name}`)
  await mustStore(here, 'visitor', 'POST', paths.conversationFiles(clientId), form)
  await mustStore(here, 'visitor', 'PATCH', paths.conversationProfile(clientId), { name: MARK })
  const note = { nonce: newId(), text: `${MARK} note` }
  await mustStore(there, 'admin', 'POST', adminPaths.conversationNotes(clientId), note)
  for (const change of [{ labels: [MARK] }, { status: 'resolved' }]) {
    await mustStore(there, 'admin', 'PATCH', adminPaths.adminConversation(clientId), change)
  }
  await mustStore(here, 'visitor', 'POST', paths.conversationRating(clientId), { score: 1, words: MARK })
  // Nothing of this was sent when the history ended.
  for (const way of Object.values(ways)) way.refuse()
  views.visitor.send('late message')
  views.admin.send('late reply')

  async function erase(): Promise<void> {
    const writing = writeMeanwhile()
    await eraseOnly()
    await writing
  }

  async function eraseOnly(): Promise<void> {
    await until(
      ledger,
      () => `${clientId} cannot be erased`,
      async () => {
        const answer = await ask(here, 'visitor', 'DELETE', paths.conversation(clientId))
        return answer?.status === 204 || answer?.status === 404
      },
    )
  }

  /** What an admin writes meanwhile is erased with the rest, or refused. */
  async function writeMeanwhile(): Promise<void> {
    const note = { nonce: newId(), text: `${MARK} note meanwhile` }
    const sendAt = new Date(Date.now() + DAY_MS).toISOString()
    const later = { nonce: newId(), message: `${MARK} later`, sendAt, anyway: true }
    const edit = { nonce: newId(), message: `${MARK} edited`, epoch: first?.epoch }
    await Promise.all([
      askUntilAnswered(there, 'admin', 'POST', adminPaths.conversationNotes(clientId), note),
      askUntilAnswered(there, 'admin', 'POST', adminPaths.conversationScheduled(clientId), later),
      askUntilAnswered(there, 'admin', 'PATCH', adminPaths.message(clientId, REPLY_SEQ), edit),
      askUntilAnswered(there, 'admin', 'PATCH', adminPaths.adminConversation(clientId), {
        labels: [`${MARK} meanwhile`],
      }),
    ])
  }

  /** A sender who missed the erase sends a new message, and repeats a stored one. */
  async function sendsAreStale(origin: string, who: keyof typeof credentials): Promise<void> {
    const senderId = who === 'visitor' ? clientId : userId
    for (const sent of [{ nonce: newId(), message: 'too late' }, first]) {
      const body = { clientId, senderId, nonce: sent?.nonce, message: sent?.message, epoch: first?.epoch }
      const { text } = await askUntilAnswered(origin, who, 'POST', paths.chat, body)
      if (!text.includes('stale-epoch')) wrong(`a late message was answered with ${text}`)
    }
  }

  async function nothingIsRead(origin: string): Promise<void> {
    const asked = [
      ['visitor', paths.conversation(clientId)],
      ['visitor', paths.conversationExport(clientId)],
      ['visitor', paths.conversationFile(clientId, fileId)],
      ['admin', adminPaths.adminConversation(clientId)],
      ['admin', paths.adminConversationFile(clientId, fileId)],
      ['admin', adminPaths.conversationActivity(clientId)],
      ['admin', adminPaths.conversationVisitor(clientId)],
      ['admin', adminPaths.chatLabels],
      ['admin', `${paths.chat}?limit=100`],
    ] as const
    for (const [who, path] of asked) {
      const { status, text } = await askUntilAnswered(origin, who, 'GET', path)
      if (text.includes(MARK)) wrong(`${path} was answered with ${status} ${text.slice(0, 500)}`)
    }
    await until(
      ledger,
      () => 'the search finds erased messages',
      async () => {
        const found = await ask(origin, 'admin', 'GET', `${adminPaths.search}?q=${MARK}`)
        return found?.status === 200 && JSON.parse(found.text).hits.length === 0
      },
    )
  }

  return {
    clientId,
    erase,

    async check(): Promise<void> {
      for (const origin of origins) {
        await sendsAreStale(origin, 'visitor')
        await sendsAreStale(origin, 'admin')
        await nothingIsRead(origin)
      }
      if (backFirst === 'visitor') {
        comeBack('visitor')
        await shows(views.visitor, 'late message')
        comeBack('admin')
        await waits('held late reply')
      } else {
        comeBack('admin')
        await waits('refused late reply')
        comeBack('visitor')
        await shows(views.visitor, 'late message')
      }
      await shows(views.admin, 'late message')
      for (const { storage, files } of Object.values(devices)) {
        if (JSON.stringify([...storage.entries]).includes(MARK)) wrong('a browser kept erased messages')
        if (files.entries.size > 0) wrong('a browser kept a file that was erased')
      }
    },

    /** Removes everything, because the crowd's read-back expects nothing of these conversations. */
    async end(): Promise<void> {
      await eraseOnly()
      visitorChat.stop()
      adminChat.stop()
      for (const way of Object.values(ways)) way.close()
    },
  }
}

const textsOf = (view: Conversation) => view.getState().messages.map(({ message }) => message)
const pendingOf = (view: Conversation) =>
  view
    .getState()
    .pending.map(({ state, message }) => `${state} ${message}`)
    .join()

export async function until(
  ledger: Ledger,
  not: () => string,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const from = performance.now(); performance.now() - from < WITHIN_MS; await pause(100)) {
    if (await isSo()) return
  }
  ledger.violation(`${not()} for ${WITHIN_MS} ms`)
}
