import { useEffect, useLayoutEffect, useRef } from 'react'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'
import { isField } from './is-field.ts'

const OFF_KEY = 'shortcuts:off'

/** Something that a page can do, also from the command menu. */
export interface PageCommand {
  /** What its button says. */
  label: string
  /** A character, or 'mod+k': Ctrl, on a Mac Cmd. */
  keys?: string
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
  if (event.defaultPrevented || event.repeat || event.isComposing || isField(event.target)) return
  if (document.querySelector('dialog[open]')) return
  const keys = keysOf(event)
  if (keys === null || (keys.length === 1 && areShortcutsOff())) return
  const command = availableCommands().find((each) => each.keys === keys)
  if (!command) return
  event.preventDefault()
  command.run()
}

function keysOf({ key, code, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string | null {
  if (altKey) return null
  // Other alphabets: the key where the letter is on a Latin keyboard.
  const character = /^[^\p{ASCII}]$/u.test(key) && /^Key[A-Z]$/.test(code) ? code.slice(3) : key
  const lower = character.toLowerCase()
  if (ctrlKey || metaKey) return shiftKey ? null : `mod+${lower}`
  return shiftKey && /^\p{L}$/u.test(character) ? null : lower
}

/** "E", "Ctrl K" or "⌘ K", as on the keyboard. */
export function keysLabel(keys: string): string {
  return keys
    .replace('mod+', isMac() ? '⌘ ' : 'Ctrl ')
    .toUpperCase()
    .replace('CTRL', 'Ctrl')
}

/** For `aria-keyshortcuts`. */
export function ariaKeys(keys: string): string {
  return keys
    .replace('mod+', isMac() ? 'Meta+' : 'Control+')
    .replace(/[a-z]$/, (letter) => letter.toUpperCase())
}

const isMac = () => /^(?:Mac|iP)/.test(navigator.platform)
