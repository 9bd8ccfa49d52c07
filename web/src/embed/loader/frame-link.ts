import type { LoaderSite } from '@proctorpass/shared/embed'
import { type FromFrame, HELLO, type Hello, type ToFrame } from '../protocol.ts'
import { guarded } from './guard.ts'

/** A frame that has sent nothing after this time counts as failed. */
const SILENCE_MS = 15_000

/** A site's frame and the port to it. */
export interface FrameLink {
  element: HTMLIFrameElement
  /** Returns false before the hello. */
  send(message: ToFrame): boolean
  close(): void
}

export function createFrameLink(
  { id, origin }: LoaderSite,
  /** The token of "Test this site". If the server refuses the page, it tells that test. */
  test: string | undefined,
  on: {
    /** Returns what the frame learns first, and again after each time that it loads. */
    hello(): Omit<Hello, 'type'>
    /** Called when messages can be sent. */
    connected(): void
    message(message: FromFrame): void
    /** Called if the frame is blocked or cannot be loaded. */
    silence(): void
  },
): FrameLink {
  const element = document.createElement('iframe')
  element.src = `${origin}/embed/${id}${test ? `?test=${test}` : ''}`
  element.allow = 'autoplay'
  let port: MessagePort | null = null
  const timer = setTimeout(guarded(on.silence), SILENCE_MS)

  const close = () => {
    clearTimeout(timer)
    port?.close()
    port = null
  }

  function connect(): void {
    if (port) close()
    // The window is null after one of the page's scripts has removed the frame.
    if (!element.contentWindow) return
    const channel = new MessageChannel()
    port = channel.port1
    port.onmessage = guarded(({ data }: MessageEvent<FromFrame>) => {
      if (data.type === 'ready') clearTimeout(timer)
      on.message(data)
    })
    element.contentWindow.postMessage({ ...on.hello(), type: HELLO }, origin, [channel.port2])
    on.connected()
  }
  element.onload = guarded(connect)

  return {
    element,
    close,
    send(message) {
      port?.postMessage(message)
      return port !== null
    },
  }
}
