import { useState } from 'react'
import { foldAt, partsBefore } from './fold-text.ts'
import { loadFormatting, useFormatting } from './use-formatting.ts'
import { useViewLanguage } from './view-language.ts'

/** Shows a message's text. A long text is folded. Only what admins write to visitors is formatted. */
export function MessageText({ text, formatted }: { text: string; formatted?: boolean }) {
  const { words } = useViewLanguage()
  const formatting = useFormatting(formatted ? text : '')
  const [open, setOpen] = useState(false)
  const end = foldAt(formatting?.withoutMarks(text) ?? text)
  const folded = end !== null && !open

  return (
    <>
      {formatting ? (
        <formatting.FormattedText text={text} length={folded ? end : null} />
      ) : (
        <p className="chat-text" dir="auto">
          {partsBefore(text, folded ? end : null).map((part, index) =>
            typeof part === 'string' ? (
              part
            ) : (
              <a key={index} href={part.href} target="_blank" rel="noopener noreferrer nofollow ugc">
                {part.text}
              </a>
            ),
          )}
          {folded && ' …'}
        </p>
      )}
      {end !== null && (
        <button
          type="button"
          className="link-button chat-fold"
          onClick={({ currentTarget }) =>
            loadFormatting().then(
              ({ keepInView }) => keepInView(currentTarget, open, setOpen),
              () => setOpen(!open),
            )
          }
        >
          {open ? words.less : words.more}
        </button>
      )}
    </>
  )
}
