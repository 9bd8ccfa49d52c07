// This is the script for a site's pages. It runs beside scripts that it does not know. It uses the plainest parts of
// the language, because a page may have replaced or extended the others, and its own errors never reach the page.

import type { LoaderSite } from '@proctorpass/shared/embed'
import { createCommands } from './commands.ts'
import { each, guarded } from './guard.ts'
import { createWidget } from './widget.ts'

/** The server replaces this with the site. */
declare const EMBED_SITE: LoaderSite

type SupportChat = ((...command: unknown[]) => void) & {
  /** The calls that the page made before this script ran. */
  q?: ArrayLike<ArrayLike<unknown>>
  /** Set by the script, which does nothing if it runs again. */
  loaded?: true
}

guarded(start)()

function start(): void {
  const host = window as unknown as { SupportChat?: SupportChat }
  const stub = host.SupportChat
  if (typeof stub === 'function' && stub.loaded) return

  const commands = createCommands(() => delete host.SupportChat)
  const supportChat: SupportChat = function () {
    // biome-ignore lint/complexity/noArguments: spread would use an iterator that the page may have replaced
    commands.run(arguments)
  }
  supportChat.loaded = true
  host.SupportChat = supportChat
  createWidget(EMBED_SITE, commands)
  const queue = (typeof stub === 'function' && stub.q) || []
  each(queue, commands.run)
}
