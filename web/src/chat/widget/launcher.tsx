import { MessageCircle, X } from 'virtual:icons'
import launcher from 'virtual:words/launcher'
import { type ComponentType, startTransition, useEffect, useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'
import { listen } from '../../lib/listen.ts'
import { leftOpen, useLiveChat } from '../../lib/live-chat-store.ts'
import { reloadOutdatedPage } from '../../lib/outdated-page.ts'
import { pageState } from '../../lib/page-state.ts'
import type { Visitor } from '../engine/visitor.ts'
import { loadLanguage, useLanguage, useWords } from '../language/language.ts'
import {
  type CardProps,
  type CardState,
  type ChatPanelProps,
  type ChatSummary,
  EXISTS_KEY,
  isSmallScreen,
} from './launcher-handoff.ts'
import { isSheetEntry } from './sheet-history.ts'
import './launcher.css'

const PANEL_ID = 'chat-panel'
/** The sessionStorage key that opens the panel after the reload that loads its code. */
const REOPEN_KEY = 'chat:reopen'
/** A page that is never idle gets its chat after this time. */
const IDLE_TIMEOUT_MS = 4_000
const IDLE_FALLBACK_MS = 1_500

/**
 * The chat's button in the corner. It loads the card when the card is shown, and the panel and the engine when the
 * panel opens or when this browser has a conversation.
 * @see docs/decisions/0011-chat-widget.md
 */
export function Launcher() {
  const { open, shown, setOpen, show, toggle } = useLiveChat()
  const words = useWords('launcher', launcher)
  const { tag, dir, ready } = useLanguage()
  const language = { lang: tag, dir }
  const idle = useIdle()
  const [summary, setSummary] = useState<ChatSummary>({ hasMessages: false, unread: 0, latest: null })
  const expanded = shown === 'panel'
  const exists = summary.hasMessages || readStorage(EXISTS_KEY) !== null
  const panel = usePanel(expanded || (idle && exists))
  const card = useCard(shown === 'card' || (idle && !exists && pageState().hasCards), !exists)
  const button = useRef<HTMLButtonElement>(null)
  const returnFocus = useRef(false)

  useEffect(() => void loadLanguage(), [])

  useEffect(() => {
    if (readStorage(REOPEN_KEY, 'sessionStorage') === null) return
    writeStorage(REOPEN_KEY, null, 'sessionStorage')
    setOpen(true)
  }, [setOpen])

  // A reload and the browser's Forward button return to one of the sheet's history entries.
  useEffect(() => {
    const reopen = ({ state }: Pick<PopStateEvent, 'state'>) => {
      if (isSheetEntry(state) && isSmallScreen()) setOpen(true)
    }
    reopen(history)
    return listen(window, ['popstate'], reopen)
  }, [setOpen])

  useEffect(() => {
    if (!idle || !open || shown !== 'nothing') return
    show((exists || leftOpen()) && !isSmallScreen() ? 'panel' : 'card')
  }, [idle, open, shown, show, exists])

  // This is an effect, because on a small screen the button is visible only after the panel is gone.
  useEffect(() => {
    if (shown !== 'nothing' || !returnFocus.current) return
    returnFocus.current = false
    button.current?.focus()
  }, [shown])

  function close(): void {
    returnFocus.current = true
    setOpen(false)
  }

  if (!ready) return null
  return (
    <>
      {/* The region exists before the card, or a screen reader would not announce the card. New messages have a toast. */}
      <div aria-live={exists ? 'off' : 'polite'} data-shown={shown} onPointerDown={preload} {...language}>
        {shown === 'card' && card && (
          <card.Card
            text={summary.latest ?? (exists ? words.continuation : null)}
            state={card.state}
            onClose={close}
          />
        )}
      </div>
      <button
        ref={button}
        type="button"
        className="chat-launcher"
        aria-expanded={expanded}
        aria-controls={expanded && panel.loaded ? PANEL_ID : undefined}
        // Loading starts at pointerdown, because the press ends a tenth of a second later.
        onPointerDown={preload}
        onClick={toggle}
      >
        <span className="visually-hidden" {...language}>
          {words.name}
          {summary.unreadText || (summary.hasMessages && words.hasMessages)}
        </span>
        <Icon of={expanded ? X : MessageCircle} large />
        {summary.hasMessages && (
          <span className="chat-dot" aria-hidden="true">
            {summary.unread > 0 && (summary.unread > 99 ? '99+' : summary.unread)}
          </span>
        )}
      </button>
      {panel.loaded ? (
        <panel.loaded.ChatPanel
          id={PANEL_ID}
          visitor={panel.loaded.visitor}
          onClose={close}
          onSummary={setSummary}
        />
      ) : (
        expanded && (
          <div className="chat-wait" role="status" {...language}>
            {panel.failed ? (
              <>
                {words.failed}
                <button type="button" onClick={panel.retry}>
                  {words.retry}
                </button>
              </>
            ) : (
              words.loading
            )}
          </div>
        )
      )}
    </>
  )
}

function useIdle(): boolean {
  const [idle, setIdle] = useState(false)
  useEffect(() => {
    const settle = () => setIdle(true)
    if (!window.requestIdleCallback) {
      const timer = setTimeout(settle, IDLE_FALLBACK_MS)
      return () => clearTimeout(timer)
    }
    const handle = requestIdleCallback(settle, { timeout: IDLE_TIMEOUT_MS })
    return () => cancelIdleCallback(handle)
  }, [])
  return idle
}

const loadPanel = () => import('./panel.tsx')
const preload = () => void loadPanel().catch(() => {})

/** Returns the card once its content is loaded. If the card cannot be loaded, the visitor has only the button. */
function useCard(enabled: boolean | undefined, isWelcome: boolean) {
  const [card, setCard] = useState<{ Card: ComponentType<CardProps>; state: CardState | null } | null>(null)
  useEffect(() => {
    if (!enabled || card) return
    import('./card.tsx')
      .then(async ({ Card, loadState }) => setCard({ Card, state: isWelcome ? await loadState() : null }))
      .catch(() => {})
  }, [enabled, isWelcome, card])
  return card
}

interface LoadedPanel {
  ChatPanel: ComponentType<ChatPanelProps>
  visitor: Visitor
}

function usePanel(enabled: boolean) {
  const [loaded, setLoaded] = useState<LoadedPanel | null>(null)
  const [failed, setFailed] = useState(false)
  const failures = useRef(0)

  useEffect(() => {
    if (!enabled || loaded || failed) return
    loadPanel()
      .then(async ({ ChatPanel, ensureVisitor }) => {
        const visitor = await ensureVisitor()
        // The panel is rendered in slices, between which the browser handles input.
        startTransition(() => setLoaded({ ChatPanel, visitor }))
      })
      .catch(async () => {
        failures.current += 1
        if (failures.current > 1) {
          writeStorage(REOPEN_KEY, 'true', 'sessionStorage')
          if (await reloadOutdatedPage()) return
          writeStorage(REOPEN_KEY, null, 'sessionStorage')
        }
        setFailed(true)
      })
  }, [enabled, loaded, failed])

  useEffect(() => {
    if (!failed) return
    return listen(window, ['online'], () => setFailed(false))
  }, [failed])

  return { loaded, failed, retry: () => setFailed(false) }
}
