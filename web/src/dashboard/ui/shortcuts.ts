import { useEffect, useLayoutEffect, useRef } from 'react'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'

const OFF_KEY = 'shortcuts:off'

/** Something that a page can do, also from the command menu. */
export interface PageCommand {
  /** What its button says. */
  label: string
  /** A character, 'alt+j', or 'mod+k': Ctrl, on a Mac Cmd. */
  keys?: string
  /** Its keys work while typing too. */
  inFields?: boolean
  run: () => void
}

/** `frame`: on every page, below the page's own commands. */
type Level = 'frame' | 'page'

interface Source {
  level: Level
  commands: readonly PageCommand[]
}

const sources = new Set<{ current: Source }>()

/** Offers commands while the component is rendered. */
export function useCommands(commands: readonly PageCommand[], level: Level = 'page'): void {
  const source = useRef<Source>({ level, commands })
  // A key may follow as soon as the button is on the screen.
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

/** What can be done now: the page's commands first, and in place of the frame's of the same name. */
export function availableCommands(): PageCommand[] {
  const levels: readonly Level[] = ['page', 'frame']
  const commands = levels.flatMap((level) =>
    [...sources].filter(({ current }) => current.level === level).flatMap(({ current }) => current.commands),
  )
  return commands.filter(({ label }, index) => commands.findIndex((other) => other.label === label) === index)
}

/** Single characters can be turned off: speech input types them. */
export const areShortcutsOff = (): boolean => readStorage(OFF_KEY) === 'true'
export const setShortcutsOff = (off: boolean): void => writeStorage(OFF_KEY, off ? 'true' : null)

/** Runs the command of each key press, except while typing or in a dialog. One component calls it. */
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
  const command = availableCommands().find((each) => each.keys === keys)
  if (!command || (typing && !command.inFields)) return
  event.preventDefault()
  command.run()
}

/** Text typed for a field that is not on the page yet; null while no field is awaited. */
let typedAhead: string | null = null

/** Keys are text from now on, until a field takes it. */
export function awaitField(): void {
  typedAhead = ''
}

/** For the field: the text that was typed meanwhile. */
export function takeTypedAhead(): string {
  const typed = typedAhead ?? ''
  typedAhead = null
  return typed
}

/** Enter is left out: the field submits it. Any other key ends the wait. */
function collects({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  const isText = !altKey && !ctrlKey && !metaKey && /^.$/u.test(key)
  if (isText) typedAhead += key
  else if (key === 'Backspace') typedAhead = typedAhead?.slice(0, -1) ?? null
  else if (key !== 'Shift' && key !== 'Enter') typedAhead = null
  return typedAhead !== null && key !== 'Shift'
}

function keysOf({ key, code, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string | null {
  const letter = /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : null
  // With Alt, letters type other characters on a Mac.
  if (altKey) return letter === null || ctrlKey || metaKey || shiftKey ? null : `alt+${letter}`
  // Other alphabets: the key where the letter is on a Latin keyboard.
  const character = /^[^\p{ASCII}]$/u.test(key) && letter !== null ? letter : key
  const lower = character.toLowerCase()
  if (ctrlKey || metaKey) return shiftKey ? null : `mod+${lower}`
  return shiftKey && /^\p{L}$/u.test(character) ? null : lower
}

/** "E", "Ctrl K" or "⌘ K", as on the keyboard. */
export function keysLabel(keys: string): string {
  const [modifier, key] = /^\w+\+./.test(keys) ? keys.split('+') : [null, keys]
  const names: Record<string, string> = isMac() ? { mod: '⌘ ', alt: '⌥ ' } : { mod: 'Ctrl ', alt: 'Alt ' }
  return `${names[modifier ?? ''] ?? ''}${key?.toUpperCase()}`
}

/** For `aria-keyshortcuts`. */
export function ariaKeys(keys: string): string {
  return keys
    .replace('mod+', isMac() ? 'Meta+' : 'Control+')
    .replace('alt+', 'Alt+')
    .replace(/[a-z]$/, (letter) => letter.toUpperCase())
}

const isMac = () => /^(?:Mac|iP)/.test(navigator.platform)

const NO_TEXT = ['button', 'checkbox', 'radio', 'submit', 'reset', 'file', 'range']

/** Whether keys typed here belong to a field, so that they are no shortcuts. */
function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !NO_TEXT.includes(target.type)
  return target.isContentEditable || target.matches('textarea, select')
}
