import { useEffect, useLayoutEffect, useRef } from 'react'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'

const OFF_KEY = 'shortcuts:off'

/** Something that a page can do. The command menu offers it too. */
export interface PageCommand {
  /** The text on the command's button. */
  label: string
  /** The icon's path data. */
  icon: string
  /** A character, 'alt+j', 'mod+k', or 'mod+shift+enter', where `mod` means Ctrl, or Cmd on a Mac. */
  keys?: string
  /** Whether the keys also work while the admin types. */
  inFields?: boolean
  /** Whether a text box handles the keys itself. */
  inBox?: boolean
  run: () => void
}

/** The frame's commands are on every page, and the page's own commands take precedence over them. */
type Level = 'frame' | 'page'

interface Source {
  level: Level
  commands: readonly PageCommand[]
}

const sources = new Set<{ current: Source }>()

/** Offers commands while the component is rendered. */
export function useCommands(commands: readonly PageCommand[], level: Level = 'page'): void {
  const source = useRef<Source>({ level, commands })
  // A key press may follow as soon as the button is on the screen.
  useLayoutEffect(() => {
    source.current = { level, commands }
  })
  useLayoutEffect(() => {
    sources.add(source)
    return () => {
      sources.delete(source)
    }
  }, [])
}

/**
 * Returns the commands that are available now: first the page's commands, which replace the frame's commands with the
 * same label.
 */
export function availableCommands(): (PageCommand & { level: Level })[] {
  const levels: readonly Level[] = ['page', 'frame']
  const commands = levels.flatMap((level) =>
    [...sources]
      .filter(({ current }) => current.level === level)
      .flatMap(({ current }) => current.commands.map((command) => ({ ...command, level }))),
  )
  return commands.filter(({ label }, index) => commands.findIndex((other) => other.label === label) === index)
}

/** Admins can turn single characters off, because speech input types them. */
export const areShortcutsOff = (): boolean => readStorage(OFF_KEY) === 'true'
export const setShortcutsOff = (off: boolean): void => writeStorage(OFF_KEY, off ? 'true' : null)

/**
 * Runs the command for each key press, except while the admin types or a dialog is open. Only one component may call
 * it.
 */
export function useShortcuts(): void {
  useEffect(() => {
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [])
}

function handleKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return
  const typing = isField(event.target)
  if (typing) typedAhead = null
  if (typedAhead !== null && collects(event)) {
    event.preventDefault()
    return
  }
  if (event.repeat) return
  const keys = keysOf(event)
  if (keys === null || (keys.length === 1 && areShortcutsOff())) return
  const command = availableCommands().find((each) => each.keys === keys && !each.inBox)
  if (!command || (typing && !command.inFields)) return
  event.preventDefault()
  command.run()
}

/** The text that was typed for a field that is not on the page yet. Null if no field is awaited. */
let typedAhead: string | null = null

/** Treats keys as text from now on, until a field takes it. */
export function awaitField(): void {
  typedAhead = ''
}

/** Returns the text that was typed before the field was there. */
export function takeTypedAhead(): string {
  const typed = typedAhead ?? ''
  typedAhead = null
  return typed
}

/**
 * Returns whether a key was added to the awaited field's text. Enter is left out, because the field submits it. Any
 * other key ends the wait.
 */
function collects({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  const isText = !altKey && !ctrlKey && !metaKey && /^.$/u.test(key)
  if (isText) typedAhead += key
  else if (key === 'Backspace') typedAhead = typedAhead?.slice(0, -1) ?? null
  else if (key !== 'Shift' && key !== 'Enter') typedAhead = null
  return typedAhead !== null && key !== 'Shift'
}

function keysOf({ key, code, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string | null {
  const letter = /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : null
  // On a Mac, letters type other characters with Alt.
  if (altKey) return letter === null || ctrlKey || metaKey || shiftKey ? null : `alt+${letter}`
  // For other alphabets, the key counts that has the letter on a Latin keyboard.
  const character = /^[^\p{ASCII}]$/u.test(key) && letter !== null ? letter : key
  const lower = character.toLowerCase()
  if (ctrlKey || metaKey) return `mod+${shiftKey ? 'shift+' : ''}${lower}`
  return shiftKey && /^\p{L}$/u.test(character) ? null : lower
}

/** Returns "E", "Ctrl K", "⌘ K", or "Ctrl Shift Enter", as on the keyboard. */
export function keysLabel(keys: string): string {
  const names: Record<string, string> = isMac()
    ? { mod: '⌘', alt: '⌥', shift: '⇧', enter: 'Enter', arrowup: '↑' }
    : { mod: 'Ctrl', alt: 'Alt', shift: 'Shift', enter: 'Enter', arrowup: '↑' }
  const parts = /^\w+\+./.test(keys) ? keys.split('+') : [keys]
  return parts.map((part) => names[part] ?? part.toUpperCase()).join(' ')
}

/** Returns the keys for `aria-keyshortcuts`. */
export function ariaKeys(keys: string): string {
  return keys
    .replace('mod+', isMac() ? 'Meta+' : 'Control+')
    .replace('alt+', 'Alt+')
    .replace('shift+enter', 'Shift+Enter')
    .replace(/[a-z]$/, (letter) => letter.toUpperCase())
}

const isMac = () => /^(?:Mac|iP)/.test(navigator.platform)

const NO_TEXT = ['button', 'checkbox', 'radio', 'submit', 'reset', 'file', 'range']

/** Returns whether keys that are typed here belong to a field, so that they are not shortcuts. */
function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !NO_TEXT.includes(target.type)
  return target.isContentEditable || target.matches('textarea, select')
}
