import { paths } from '@proctorpass/shared/paths'
import type { Transport } from '@proctorpass/shared/schemas/chat'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { OpenAttachments } from './attachments.ts'
import type { Request } from './requests.ts'
import type { Tab } from './tab.ts'

/** The options that a visitor's chat and an admin's chat have in common. */
export interface ChatOptions {
  config: PublicConfig['chat']
  tab: Tab
  request: Request
  openAttachments: OpenAttachments
  /** The hub's origin; empty for the page's own. */
  origin?: string
}

/** Asks the server which transport it wants. */
export async function wantedTransport(request: Request): Promise<Transport> {
  return (await request<PublicConfig>(paths.config)).chat.transport
}
