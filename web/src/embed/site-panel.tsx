import launcher from 'virtual:words/launcher'
import { AppError } from '@proctorpass/shared/errors'
import { useEffect, useState } from 'react'
import { create, useStore } from 'zustand'
import type { VisitorChat } from '../chat/engine/chat.ts'
import { loadLanguage, useLanguage, useWords } from '../chat/language/language.ts'
import { prefillDraft } from '../chat/view/message-draft.ts'
import type { ChatSummary, Surroundings } from '../chat/widget/launcher-handoff.ts'
import { ChatPanel } from '../chat/widget/panel.tsx'
import { withBrand } from '../content/with-brand.ts'
import { VISITOR_DRAFT } from '../lib/browser-storage.ts'
import { useLiveChat } from '../lib/live-chat-store.ts'
import { pageState } from '../lib/page-state.ts'
import { setVisitedPage } from '../lib/visited-page.ts'
import { type Host, pageOf } from './host.ts'
import type { ClaimedProfile, PanelPlace, ToFrame } from './protocol.ts'
import type { Visits } from './visits.ts'
import { watchMessages } from './watch-messages.ts'

const usePlace = create<PanelPlace>(() => ({ open: false, sheet: false }))

/** The running chat. Null until it is decided whose chat it is. */
const useChat = create<VisitorChat | null>(() => null)

const loadClaim = () => import('./claim.ts')

/** The panel fills the frame. The page around it makes it a sheet and announces new messages. */
const inFrame: Surroundings = {
  useSheet: () => usePlace(({ sheet }) => sheet),
  isSheet: () => usePlace.getState().sheet,
  onArrival() {},
}

/** Shows the same panel as on our own pages, but the loader controls it. */
export function SitePanel({ host, visits }: { host: Host; visits: Visits }) {
  const words = useWords('launcher', launcher)
  const { tag, ready } = useLanguage()
  const visitor = useStore(visits.shown)
  const chat = useChat()
  const [summary, setSummary] = useState<ChatSummary>({ hasMessages: false, unread: 0, latest: null })
  const { config, site } = pageState()
  const title = site?.displayName || withBrand(words.heading, config.brand)
  const isShown = ready && visitor !== null

  useEffect(() => {
    place(host.hello)
    host.onMessage((message) => perform(message, host, visits))
  }, [host, visits])

  useEffect(() => {
    document.documentElement.lang = tag
    document.title = title
    if (isShown) host.send({ type: 'ready', title })
  }, [host, isShown, title, tag])

  useEffect(() => {
    if (chat && visitor) return watchMessages(chat, visitor, host, visits)
  }, [chat, visitor, host, visits])

  const { unread, unreadText = '' } = summary
  useEffect(() => {
    host.send({ type: 'unread', count: unread, text: unreadText })
  }, [host, unread, unreadText])

  if (!isShown) return null
  return (
    <ChatPanel
      key={`${visitor.clientId} ${visitor.key}`}
      id="panel"
      visitor={visitor}
      surroundings={inFrame}
      onClose={() => host.send({ type: 'close' })}
      onSummary={setSummary}
      onChat={keepChat}
    />
  )
}

const keepChat = (chat: VisitorChat | null) => useChat.setState(chat, true)

/** Resolves with the running chat, or with the next one. */
function nextChat(): Promise<VisitorChat> {
  const now = useChat.getState()
  if (now) return Promise.resolve(now)
  return new Promise((resolve) => {
    const stop = useChat.subscribe((chat) => {
      if (!chat) return
      stop()
      resolve(chat)
    })
  })
}

function place({ open, sheet }: PanelPlace): void {
  usePlace.setState({ open, sheet })
  const isOpen = useLiveChat.getState().shown === 'panel'
  if (open !== isOpen) useLiveChat.setState({ shown: open ? 'panel' : 'nothing', openedByUser: open })
}

function perform(message: ToFrame, host: Host, visits: Visits): void {
  switch (message.type) {
    case 'panel':
      place(message)
      break
    case 'page':
      setVisitedPage(pageOf(host, message.page))
      void nextChat().then(async (chat) => (await loadClaim()).reportPage(chat))
      break
    case 'locale':
      void loadLanguage(message.locale)
      break
    case 'prefill':
      prefillDraft(VISITOR_DRAFT, message.text)
      break
    case 'profile':
      void claim(message.profile, host)
      break
    case 'identify':
      visits.identify(message.token)
      break
    case 'logout':
      visits.logout()
  }
}

async function claim(profile: ClaimedProfile, host: Host): Promise<void> {
  const fail = (code: string) => host.send({ type: 'event', name: 'error', code })
  try {
    const chat = await nextChat()
    if (!(await (await loadClaim()).claim(chat, profile))) fail('invalid-input')
  } catch (error) {
    fail(error instanceof AppError ? error.code : 'unavailable')
  }
}
