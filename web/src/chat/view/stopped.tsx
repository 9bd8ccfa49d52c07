import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { useViewLanguage } from './view-language.ts'
import type { WaitingRow } from './waiting-row.tsx'

/** Shows a held, canceled, or refused message, which its writer can send or discard. */
export function Stopped(props: WaitingRow & { children?: ReactNode }) {
  const { waiting, reason, nonce, text, conversation, children } = props
  const { words } = useViewLanguage()
  const part = useRef<HTMLDivElement>(null)
  useFocusKept(part)
  const refused = waiting === 'refused'
  return (
    <div ref={part} className="chat-stopped">
      <p className="chat-why">{reason ?? words.refused}</p>
      <button type="button" className="link-button" onClick={() => conversation.retry(nonce)}>
        {refused ? words.retry : words.send}
      </button>
      {children}
      {refused && text !== '' && <CopyButton text={text} />}
      <button type="button" className="link-button" onClick={() => conversation.discard(nonce)}>
        {words.discard}
      </button>
    </div>
  )
}

/** Moves the focus to the messages when the focused element in this part disappears. */
export function useFocusKept(part: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = part.current
    const log = element?.closest<HTMLElement>('[role="log"]')
    return () => {
      if (element?.contains(document.activeElement)) log?.focus({ preventScroll: true })
    }
  }, [part])
}

export function CopyButton({ text }: { text: string }) {
  const { words } = useViewLanguage()
  const [copied, setCopied] = useState<boolean | null>(null)
  return (
    <button type="button" className="link-button" onClick={() => copyText(text).then(setCopied)}>
      {copied === null ? words.copy : copied ? words.copied : words.copyFailed}
    </button>
  )
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // navigator.clipboard needs HTTPS.
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    const copied = document.execCommand('copy')
    area.remove()
    return copied
  }
}
