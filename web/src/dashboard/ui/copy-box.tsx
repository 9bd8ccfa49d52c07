import { useId, useState } from 'react'
import './content.css'

/** Shows text to copy, such as code. */
export function CopyBox({ label, text, hint }: { label: string; text: string; hint?: string }) {
  const id = useId()
  const [notice, setNotice] = useState('')

  async function handleCopy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setNotice('Copied')
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
        <button type="button" className="link-button" onClick={handleCopy}>
          Copy <span className="visually-hidden">{label}</span>
        </button>
        <span role="status" className="field-hint">
          {notice}
        </span>
      </p>
      <pre id={id}>
        <code>{text}</code>
      </pre>
      {hint !== undefined && <p className="field-hint">{hint}</p>}
    </div>
  )
}
