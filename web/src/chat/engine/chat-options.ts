import { paths } from '@proctorpass/shared/paths'
import type { Transport } from '@proctorpass/shared/schemas/chat'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { OpenAttachments } from './attachments.ts'
import type { Request } from './requests.ts'
import type { Tab } from './tab.ts'

/** What the chats of a visitor and of an admin have in common. */
export interface ChatOptions {
  config: PublicConfig['chat']
  tab: Tab
  request: Request
  openAttachments: OpenAttachments
  /** Of the hub; empty for the page's own. */
  origin?: string
}

/** Asks the server. */
export async function wantedTransport(request: Request): Promise<Transport> {
  return (await request<PublicConfig>(paths.config)).chat.transport
}
