import { Mail } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { MailEntryData } from '@proctorpass/shared/schemas/inbox'
import { memo, useState } from 'react'
import { MessageText } from '../../../chat/view/message-text.tsx'
import { Icon } from '../../../components/icon.tsx'
import { toast } from '../../../components/toast.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { Time, type TimeProps } from './activity-rows.tsx'
import { leftOutWords } from './activity-words.ts'
import './mail-rows.css'

/** Says below a message that it came by mail. */
export const ByMailRow = memo(function ByMailRow({ quoted }: { quoted: string | undefined }) {
  return (
    <li className="mail-of-message">
      <p>by email</p>
      {quoted !== undefined && <Quoted text={quoted} />}
    </li>
  )
})

interface MailEntryRowProps extends TimeProps {
  clientId: string
  n: number
  at: string
  mail: MailEntryData
  /** Whether the mail has become a message since. */
  isAdded: boolean
}

/** Shows a mail that is not a message, because its sender is not verified or a program wrote it. */
export const MailEntryRow = memo(function MailEntryRow(props: MailEntryRowProps) {
  const { clientId, n, at, mail, isAdded, exact, onTime } = props
  const [state, setState] = useState<'idle' | 'adding' | 'added'>('idle')
  const { automatic = false, verified, from, text, quoted, leftOut } = mail

  async function add(): Promise<void> {
    setState('adding')
    try {
      await callAsAdmin(adminPaths.mailToMessage(clientId, n), { method: 'POST' })
      setState('added')
    } catch (error) {
      setState('idle')
      toast.error(errorMessage(error))
    }
  }

  const isMessage = isAdded || state === 'added'
  return (
    <li className="activity-note" data-n={n}>
      <div className="activity-bubble">
        <div className="activity-note-head">
          <Icon of={Mail} />
          <p>
            <bdi className="activity-author">{from}</bdi>
            {automatic ? ' · Out of office' : verified ? ' · Email' : ' · Email, sender not verified'} ·
            Visible to your team only
          </p>
          <span className="activity-time">
            <Time iso={at} exact={exact} onTime={onTime} />
          </span>
        </div>
        <MessageText text={text} />
        {leftOut !== undefined && <p className="mail-left-out">{leftOutWords(leftOut)}</p>}
        {quoted !== undefined && <Quoted text={quoted} />}
        {!automatic &&
          (isMessage ? (
            <p className="mail-added" role="status">
              Added to the conversation
            </p>
          ) : (
            <p className="mail-add">
              <button type="button" className="button" disabled={state === 'adding'} onClick={add}>
                {state === 'adding' ? 'Adding...' : 'Add to conversation'}
              </button>
            </p>
          ))}
      </div>
    </li>
  )
})

function Quoted({ text }: { text: string }) {
  return (
    <details className="mail-quoted">
      <summary>Show quoted text</summary>
      <MessageText text={text} />
    </details>
  )
}
