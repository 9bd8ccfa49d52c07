import type { LoaderSite } from '@proctorpass/shared/embed'
import { type FromFrame, HELLO, type Hello, type ToFrame } from '../protocol.ts'
import { guarded } from './guard.ts'

/** A frame that says nothing for so long does not come. */
const SILENCE_MS = 15_000

/** The frame of a site and the port to it. */
export interface FrameLink {
  element: HTMLIFrameElement
  /** False before the hello. */
  send(message: ToFrame): boolean
  close(): void
}

export function createFrameLink(
  { id, origin }: LoaderSite,
  /** The token of "Test this site": the server tells that test whether it refuses the page. */
  test: string | undefined,
  on: {
    /** What the frame learns first, again after each of its loads. */
    hello(): Omit<Hello, 'type'>
    /** Messages can be sent from now on. */
    connected(): void
    message(message: FromFrame): void
    /** It is blocked or cannot be loaded. */
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
    // Null after a script of the page has removed the frame.
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
