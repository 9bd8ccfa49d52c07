import { CALL_HEADER } from '@proctorpass/shared/call-name'
import { bodyOf, isOurs, newCall, unreachable } from '../../../lib/api.ts'
import { pageState } from '../../../lib/page-state.ts'
import { sendForm } from '../../../lib/send-form.ts'
import type { ConversationAttachments, OpenAttachments } from '../../engine/attachments.ts'
import { createConversationAttachments } from '../../engine/conversation-attachments.ts'
import { deviceStore } from './device-store.ts'

/** Runs a call with its Authorization header's value, perhaps a second time with another value. */
type Authorize = <T>(call: (authorization: string | undefined) => Promise<T>) => Promise<T>

/** Opens a conversation's files in a browser. */
export function openAttachments(
  party: Parameters<OpenAttachments>[0],
  authorize: Authorize,
): ConversationAttachments {
  return createConversationAttachments(party, deviceStore(), {
    upload: (path, form, options) =>
      authorize((authorization) => sendForm(path, form, { method: 'POST', authorization, ...options })),
    download: (path, signal) => authorize((authorization) => download(path, authorization, signal)),
  })
}

export function openVisitorAttachments(visitor: Parameters<OpenAttachments>[0]): ConversationAttachments {
  const { visitorKey } = visitor
  return openAttachments(visitor, (call) => call(visitorKey ? `Visitor ${visitorKey}` : undefined))
}

async function download(path: string, authorization?: string, signal?: AbortSignal): Promise<Blob> {
  const call = newCall()
  let response: Response
  try {
    response = await fetch(pageState().apiPrefix + path, {
      headers: { [CALL_HEADER]: call.name, ...(authorization !== undefined && { authorization }) },
      credentials: 'omit',
      signal: signal ?? null,
    })
    if (response.ok && isOurs(call, response)) return await response.blob()
  } catch (cause) {
    signal?.throwIfAborted()
    throw unreachable(cause)
  }
  return bodyOf(call, response, await response.text())
}
