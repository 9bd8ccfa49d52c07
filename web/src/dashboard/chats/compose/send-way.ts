import { CalendarClock, CircleCheck, Clock, SendHorizontal } from 'virtual:icons'
import { readStorage, writeStorage } from '../../../lib/browser-storage.ts'

/** What a press of the button that sends does. Enter only sends. */
export const SEND_WAYS = [
  { way: 'send', label: 'Send', icon: SendHorizontal, keys: undefined },
  { way: 'resolve', label: 'Send and resolve', icon: CircleCheck, keys: 'mod+shift+enter' },
  { way: 'snooze', label: 'Send and snooze', icon: Clock, keys: undefined },
  { way: 'later', label: 'Send later', icon: CalendarClock, keys: undefined },
] as const

export type SendWay = (typeof SEND_WAYS)[number]['way']

const STORAGE_KEY = 'send-way'

/** Returns the way that was chosen last in this browser. */
export function readSendWay(): SendWay {
  const stored = readStorage(STORAGE_KEY)
  return SEND_WAYS.find(({ way }) => way === stored)?.way ?? 'send'
}

export function rememberSendWay(way: SendWay): void {
  writeStorage(STORAGE_KEY, way)
}
