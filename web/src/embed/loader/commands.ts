import type { ClaimedProfile, ToFrame } from '../protocol.ts'
import { each, guarded, warn } from './guard.ts'

/** What the commands move. */
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
  /** `SupportChat(name, ...args)` */
  run(call: ArrayLike<unknown>): void
  emit(event: string, value?: unknown): void
  attach(widget: Widget): void
}

/** The page's calls and the events that it listens to. */
export function createCommands(onDestroyed: () => void): Commands {
  let widget: Widget | null = null
  let ready = false
  let listeners: { event: string; listener: Listener }[] = []

  const call = (listener: Listener, value?: unknown) => {
    try {
      listener(value)
    } catch (error) {
      warn(String(error))
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

  /** False: the arguments are wrong. Undefined: there is no such command. */
  function perform(on: Widget, name: unknown, value: unknown, listener: unknown): boolean | undefined {
    const text = typeof value === 'string'
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
      case 'profile': {
        const profile = claimed(value)
        if (profile) on.send({ type: 'profile', profile })
        return profile !== null
      }
      case 'identify':
        if (text) on.identify(value)
        return text
      case 'logout':
        on.logout()
        return true
      case 'locale':
        if (text || value === null) on.setLocale(value as string | null)
        return text || value === null
      case 'page':
        if (value !== null && !(text && value.charAt(0) === '/')) return false
        on.setPage(value as string | null)
        return true
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
    return undefined
  }

  return {
    emit,
    attach(attached) {
      widget = attached
    },
    run: guarded((args) => {
      if (!widget) return
      const done = perform(widget, args[0], args[1], args[2])
      if (!done) warn(`${done === false ? 'wrong arguments of' : 'unknown command'} "${String(args[0])}"`)
    }),
  }
}

/** Null where a field is no text, and where there is none. */
function claimed(value: unknown): ClaimedProfile | null {
  const { name, email, examAt } = (value || {}) as Record<string, unknown>
  const isText = (field: unknown) => field === undefined || typeof field === 'string'
  const isSome = name !== undefined || email !== undefined || examAt !== undefined
  return isSome && isText(name) && isText(email) && isText(examAt)
    ? ({ name, email, examAt } as ClaimedProfile)
    : null
}
