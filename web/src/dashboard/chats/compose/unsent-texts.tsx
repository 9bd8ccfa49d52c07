import { withoutEmptyEnds } from '@proctorpass/shared/fields/text'
import { useState } from 'react'
import { readMessageDraft, writeMessageDraft } from '../../../chat/view/message-draft.ts'
import { CopyButton } from '../../../chat/view/stopped.tsx'

interface UnsentTextsProps {
  /** The name of each unsent text, by its storage key. */
  names: Record<string, string>
}

/** Shows texts whose message box disappeared before they were sent. */
export function UnsentTexts({ names }: UnsentTextsProps) {
  const [texts, setTexts] = useState(() =>
    Object.keys(names).map((key) => ({ key, text: withoutEmptyEnds(readMessageDraft(key)) })),
  )

  function discard(key: string): void {
    writeMessageDraft(key, '')
    setTexts(texts.filter((each) => each.key !== key))
  }

  return texts
    .filter(({ text }) => text !== '')
    .map(({ key, text }) => (
      <section key={key} className="unsent-text" aria-label={names[key]}>
        <h2>{names[key]}</h2>
        <p dir="auto">{text}</p>
        <div className="chat-stopped">
          <CopyButton text={text} />
          <button type="button" className="link-button" onClick={() => discard(key)}>
            Discard
          </button>
        </div>
      </section>
    ))
}
