import { CALL_HEADER } from '@proctorpass/shared/call-name'
import { AppError } from '@proctorpass/shared/errors'
import type { SignedIn } from '@proctorpass/shared/schemas/auth'
import type { Page } from '@proctorpass/shared/schemas/chat'
import { ADMIN } from '../../../../../api/test/admin.ts'
import { bodyOf, newCall } from '../../../lib/api.ts'
import type { Request } from '../requests.ts'

/** The REST client of a page. `cut` makes every call fail, as without a network. */
export interface RestClient {
  cut: boolean
  /** The messages sent by it. */
  readonly posted: string[]
  /** Called before each of them. */
  onPost: () => void
  request: Request
}

export function restOf(origin: string, token?: string): RestClient {
  const client: RestClient = {
    cut: false,
    posted: [],
    onPost: () => {},
    async request<T>(path: string, options: Parameters<Request>[1] = {}) {
      if (client.cut) throw new AppError('unavailable', 'cut')
      const { message } = (options.body ?? {}) as { message?: string }
      if (message !== undefined) {
        client.onPost()
        client.posted.push(message)
      }
      const call = newCall(options.method)
      let response: Response
      let text: string
      try {
        response = await fetch(`${origin}/api${path}`, {
          method: options.method ?? 'GET',
          body: options.body === undefined ? undefined : JSON.stringify(options.body),
          headers: {
            [CALL_HEADER]: call.name,
            ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...(options.visitorKey === undefined ? {} : { authorization: `Visitor ${options.visitorKey}` }),
          },
          signal: options.signal,
        })
        text = await response.text()
      } catch (cause) {
        throw new AppError('unavailable', 'no answer', { cause })
      }
      return bodyOf<T>(call, response, text)
    },
  }
  return client
}

export function signIn(origin: string): Promise<SignedIn> {
  return restOf(origin).request<SignedIn>('/auth', { method: 'POST', body: ADMIN })
}

/** The stored messages of a conversation. */
export async function storedTexts(origin: string, clientId: string, visitorKey?: string): Promise<string[]> {
  const texts: string[] = []
  let after = 0
  for (;;) {
    const page: Page = await restOf(origin).request(`/chat/${clientId}?after=${after}`, {
      ...(visitorKey === undefined ? {} : { visitorKey }),
    })
    texts.push(...page.messages.map(({ message }) => message))
    after = page.messages.at(-1)?.seq ?? after
    if (!page.more) return texts
  }
}
