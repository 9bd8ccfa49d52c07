import type { ClaimedProfile, ToFrame } from '../protocol.ts'
import { each, guarded, warn } from './guard.ts'

/** What the page's commands control. */
export interface Widget {
  setOpen(open: boolean): void
  isOpen(): boolean
  setShown(shown: boolean): void
  send(message: ToFrame): void
  setPage(path: string | null): void
  setLocale(tag: string | null): void
  identify(token: string): void
  logout(): void
  destroy(): void
}

type Listener = (value?: unknown) => void
const EVENTS = ' open close unread sent received ready error '

export interface Commands {
  /** Runs one call of `SupportChat(name, ...args)`. */
  run(call: ArrayLike<unknown>): void
  emit(event: string, value?: unknown): void
  attach(widget: Widget): void
}

/** Runs the page's calls, and emits the events to which the page listens. */
export function createCommands(onDestroyed: () => void): Commands {
  let widget: Widget | null = null
  let ready = false
  let listeners: { event: string; listener: Listener }[] = []

  const call = (listener: Listener, value?: unknown) => {
    try {
      listener(value)
    } catch (error) {
      warn(`${error}`)
    }
  }

  function emit(event: string, value?: unknown): void {
    if (event === 'ready') ready = true
    each(listeners, (found) => {
      if (found.event === event) call(found.listener, value)
    })
  }

  function listen(add: boolean, event: unknown, listener: unknown): boolean {
    if (typeof event !== 'string' || EVENTS.indexOf(` ${event} `) < 0) return false
    if (typeof listener !== 'function') return false
    const kept: typeof listeners = []
    each(listeners, (found) => {
      if (found.event !== event || found.listener !== listener) kept[kept.length] = found
    })
    if (add) kept[kept.length] = { event, listener: listener as Listener }
    listeners = kept
    if (add && ready && event === 'ready') call(listener as Listener)
    return true
  }

  /** Returns false if there is no such command, or if its arguments are wrong. */
  function perform(on: Widget, name: unknown, value: unknown, listener: unknown): boolean {
    const text = typeof value === 'string'
    const textOrNull = text || value === null
    switch (name) {
      case 'open':
      case 'close':
        on.setOpen(name === 'open')
        return true
      case 'toggle':
        on.setOpen(!on.isOpen())
        return true
      case 'show':
      case 'hide':
        on.setShown(name === 'show')
        return true
      case 'prefill':
        if (text) on.send({ type: 'prefill', text: value })
        return text
      case 'profile':
        return claim(on, value)
      case 'identify':
        if (text) on.identify(value)
        return text
      case 'logout':
        on.logout()
        return true
      case 'locale':
        if (textOrNull) on.setLocale(value)
        return textOrNull
      case 'page': {
        const isPath = textOrNull && (value === null || value.charAt(0) === '/')
        if (isPath) on.setPage(value)
        return isPath
      }
      case 'on':
      case 'off':
        return listen(name === 'on', value, listener)
      case 'destroy':
        widget = null
        listeners = []
        on.destroy()
        onDestroyed()
        return true
    }
    return false
  }

  return {
    emit,
    attach(attached) {
      widget = attached
    },
    run: guarded((args) => {
      if (!widget) return
      if (!perform(widget, args[0], args[1], args[2])) warn(`unknown command or wrong value: ${args[0]}`)
    }),
  }
}

/** Returns false if a field is not a text, or if there is no field. */
function claim(on: Widget, value: unknown): boolean {
  const { name, email, examAt } = (value || {}) as ClaimedProfile
  const isText = (field: unknown) => field === undefined || typeof field === 'string'
  const isRight = isText(name) && isText(email) && isText(examAt) && (name ?? email ?? examAt) !== undefined
  if (isRight) on.send({ type: 'profile', profile: { name, email, examAt } })
  return isRight
}
