import type { KeyboardEvent } from 'react'
import { Icon } from '../../components/icon.tsx'

interface Choice {
  id: string
  label: string
  icon?: string
  /** Another text that helps to choose. */
  detail?: string | undefined
  /** The key that does the same. */
  keys?: string | undefined
  isCurrent?: boolean
  /** Whether the choice destroys something. */
  isRed?: boolean | undefined
}

/** Shows buttons below each other. The arrow keys move between them, and a letter goes to the next one that begins with it. */
export function ChoiceList({
  choices,
  onChoose,
}: {
  choices: readonly Choice[]
  onChoose: (id: string) => void
}) {
  return (
    <ul className="choices" onKeyDown={moveFocus}>
      {choices.map(({ id, label, icon, detail, keys, isCurrent, isRed }) => (
        <li key={label}>
          <button
            type="button"
            className={isRed ? 'choice-red' : undefined}
            aria-current={isCurrent ? 'true' : undefined}
            onClick={() => onChoose(id)}
          >
            {icon && <Icon of={icon} />}
            <span className="choice-label">{label}</span>
            {detail !== undefined && <span className="choice-detail">{detail}</span>}
            {keys !== undefined && (
              <span className="choice-detail" aria-hidden="true">
                {keys}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const here = buttons.indexOf(document.activeElement as HTMLButtonElement)
  const target =
    { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1 }[event.key] ??
    beginningWith(event, buttons, here)
  if (target === undefined) return
  event.preventDefault()
  buttons[(target + buttons.length) % buttons.length]?.focus()
}

/** Returns the place of the next button whose words begin with the typed letter, or undefined. */
function beginningWith(
  { key, altKey, ctrlKey, metaKey }: KeyboardEvent,
  buttons: readonly HTMLButtonElement[],
  here: number,
): number | undefined {
  if (altKey || ctrlKey || metaKey || !/^[\p{L}\p{N}]$/u.test(key)) return undefined
  const letter = key.toLowerCase()
  const words = buttons.map((button) => button.querySelector('.choice-label')?.textContent ?? '')
  const begins = (text: string) => text.toLowerCase().startsWith(letter)
  const after = words.findIndex((text, index) => index > here && begins(text))
  const found = after >= 0 ? after : words.findIndex(begins)
  return found >= 0 ? found : undefined
}
