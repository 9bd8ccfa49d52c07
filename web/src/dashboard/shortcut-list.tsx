import { useState } from 'react'
import { Dialog } from './ui/dialog.tsx'
import {
  areShortcutsOff,
  availableCommands,
  keysLabel,
  type PageCommand,
  setShortcutsOff,
} from './ui/shortcuts.ts'
import './command-menu.css'

/** Lists the commands that have keys. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const [commands] = useState(() => availableCommands().filter(({ keys }) => keys !== undefined))
  const [off, setOff] = useState(areShortcutsOff)
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="shortcut-list">
        <Shortcuts name="This page" commands={commands.filter(({ level }) => level === 'page')} />
        <Shortcuts name="On every page" commands={commands.filter(({ level }) => level === 'frame')} />
      </div>
      <p className="field-hint">Single keys don't work while you type. Press Esc first.</p>
      <label className="checkbox">
        <input
          type="checkbox"
          checked={!off}
          onChange={(event) => {
            setShortcutsOff(!event.target.checked)
            setOff(!event.target.checked)
          }}
        />
        Enable single-key shortcuts
      </label>
    </Dialog>
  )
}

function Shortcuts({ name, commands }: { name: string; commands: readonly PageCommand[] }) {
  if (commands.length === 0) return null
  return (
    <section>
      <h3 className="command-group">{name}</h3>
      <dl>
        {commands.map(({ label, keys = '' }) => (
          <div key={`${keys} ${label}`}>
            <dt>{label}</dt>
            <dd>
              <kbd>{keysLabel(keys)}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
