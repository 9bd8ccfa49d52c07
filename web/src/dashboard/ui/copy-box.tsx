import { Check, Copy } from 'virtual:icons'
import { useId, useState } from 'react'
import { IconButton } from './icon-button.tsx'

const COPIED = 'Copied'

/** Shows text to copy, such as code. */
export function CopyBox({ label, text, hint }: { label: string; text: string; hint?: string }) {
  const id = useId()
  const [notice, setNotice] = useState('')

  async function handleCopy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setNotice(COPIED)
    } catch {
      // Copying needs https and a permission.
      getSelection()?.selectAllChildren(document.getElementById(id) as HTMLElement)
      setNotice("The browser didn't allow copying. Copy the marked text yourself.")
    }
  }

  return (
    <div className="copy-box">
      <p className="copy-box-head">
        <span>{label}</span>
        <span role="status" className="field-hint">
          {notice}
        </span>
      </p>
      <div className="copy-box-text">
        <pre id={id}>
          <code>{text}</code>
        </pre>
        <IconButton icon={notice === COPIED ? Check : Copy} label={`Copy ${label}`} onClick={handleCopy} />
      </div>
      {hint !== undefined && <p className="field-hint">{hint}</p>}
    </div>
  )
}
