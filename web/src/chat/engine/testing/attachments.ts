import { CALL_HEADER } from '@proctorpass/shared/call-name'
import { AppError } from '@proctorpass/shared/errors'
import type { AddedAttachment } from '@proctorpass/shared/schemas/attachment'
import { bodyOf, isOurs, newCall } from '../../../lib/api.ts'
import type { OpenAttachments } from '../attachments.ts'
import {
  type AttachmentRequests,
  createConversationAttachments,
  type DeviceStore,
} from '../conversation-attachments.ts'

/** For chats that send no files. */
export const noFiles: OpenAttachments = () => Promise.reject(new Error('This chat has no files.'))

/** What a browser keeps of files, across all pages of it. */
export class MemoryFiles implements DeviceStore {
  readonly entries = new Map<string, Blob>()

  put = async (nonce: string, bytes: Blob): Promise<void> => {
    this.entries.set(nonce, bytes)
  }

  get = async (nonce: string): Promise<Blob | null> => this.entries.get(nonce) ?? null

  remove = async (nonces: readonly string[]): Promise<void> => {
    for (const nonce of nonces) this.entries.delete(nonce)
  }
}

/** The files of a chat in Node, over the REST of the server at `origin`. */
export function filesOf(origin: string, store: DeviceStore, token?: string): OpenAttachments {
  return async (party) => {
    const ofVisitor = party.visitorKey ? `Visitor ${party.visitorKey}` : undefined
    const authorization = token === undefined ? ofVisitor : `Bearer ${token}`
    return createConversationAttachments(party, store, attachmentRequestsOf(origin, authorization))
  }
}

export function attachmentRequestsOf(origin: string, authorization: string | undefined): AttachmentRequests {
  async function call(path: string, init: RequestInit): Promise<Response> {
    const named = newCall(init.method)
    const headers = new Headers(init.headers)
    headers.set(CALL_HEADER, named.name)
    if (authorization) headers.set('authorization', authorization)
    let answer: Response
    try {
      answer = await fetch(`${origin}/api${path}`, { ...init, headers })
    } catch (cause) {
      init.signal?.throwIfAborted()
      throw new AppError('unavailable', 'no answer', { cause })
    }
    if (answer.ok && isOurs(named, answer)) return answer
    return bodyOf(named, answer, await answer.text())
  }
  return {
    async upload(path, form, { signal, onProgress }) {
      const { headers, body } = await encoded(form)
      const answer = await call(path, { method: 'POST', headers, body, signal })
      onProgress(1)
      return (await answer.json()) as AddedAttachment
    },
    download: async (path, signal) => (await call(path, { signal: signal ?? null })).blob(),
  }
}

/** A form as bytes: when the connection ends, Node's fetch throws outside of any promise while it reads a form. */
export async function encoded(form: FormData) {
  const asBody = new Response(form)
  return { headers: asBody.headers, body: await asBody.arrayBuffer() }
}
