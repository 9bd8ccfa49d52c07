import { randomUUID } from 'node:crypto'

/** Changes are told together, this often at most. */
const TELL_WITHIN_MS = 100
const BEAT_MS = 10_000
/** A process that was not heard for so long is gone, and its people with it. */
const FORGET_MS = 30_000
/** Who asks for everything again is answered together with the others who do. */
const ANSWER_WITHIN_MS = 300

/** What processes tell each other of who is there. */
export type News =
  | (Standing & { changed?: [clientId: string, online: boolean][] })
  /** All visitors, after an `ask`. */
  | (Standing & { visitors: string[] })
  /** Something of this node's was missed: it tells everything again. */
  | { ask: string }
  /** Going down; its people are about to come to somebody else. */
  | { gone: string }

interface Standing {
  node: string
  /** One more with each change of visitors: who knows the one before knows all. */
  version: number
  admins: boolean
}

interface Peer {
  version: number
  admins: boolean
  visitors: Set<string>
  forget: NodeJS.Timeout
}

export interface ElsewhereOptions {
  /** Reaches every other process, or gets lost. */
  say: (news: News) => void
  /** Those who are here. */
  here: () => { visitors: Iterable<string>; admins: boolean }
  /** A visitor is elsewhere now, or is no more. */
  onVisitor: (clientId: string, online: boolean) => void
  onAdmins: (online: boolean) => void
  /** So long a process that is going down keeps its people. */
  graceMs: number
}

/**
 * Who is there on the other processes, as they tell. Nothing is kept outside of memory, so there is nothing to clean
 * up; what gets lost shows by the next beat's version, and is asked for.
 */
export interface Elsewhere {
  hasVisitor(clientId: string): boolean
  hasAdmin(): boolean
  visitors(): Iterable<string>
  /** Somebody came here, or left. */
  visitorChanged(clientId: string, online: boolean): void
  adminsChanged(): void
  hear(news: News): void
  leave(): void
}

export function createElsewhere(options: ElsewhereOptions): Elsewhere {
  const { here, onVisitor, onAdmins, graceMs } = options
  const node = randomUUID()
  const peers = new Map<string, Peer>()
  const changed = new Map<string, boolean>()
  let version = 0
  let telling: NodeJS.Timeout | undefined
  let answering: NodeJS.Timeout | undefined
  let left = false
  const beat = setInterval(tell, BEAT_MS).unref()

  function say(news: News): void {
    if (!left) options.say(news)
  }

  function tell(): void {
    clearTimeout(telling)
    telling = undefined
    const { admins } = here()
    if (changed.size === 0) {
      say({ node, version, admins })
    } else {
      version += 1
      say({ node, version, admins, changed: [...changed] })
      changed.clear()
    }
  }

  function tellSoon(): void {
    telling ??= setTimeout(tell, TELL_WITHIN_MS).unref()
  }

  function tellEverything(): void {
    answering = undefined
    changed.clear()
    version += 1
    const { visitors, admins } = here()
    say({ node, version, admins, visitors: [...visitors] })
  }

  function hasVisitor(clientId: string): boolean {
    for (const peer of peers.values()) if (peer.visitors.has(clientId)) return true
    return false
  }

  function hasAdmin(): boolean {
    for (const peer of peers.values()) if (peer.admins) return true
    return false
  }

  function set(peer: Peer, clientId: string, online: boolean): void {
    const before = hasVisitor(clientId)
    if (online) peer.visitors.add(clientId)
    else peer.visitors.delete(clientId)
    if (hasVisitor(clientId) !== before) onVisitor(clientId, online)
  }

  function setAdmins(peer: Peer, admins: boolean): void {
    const before = hasAdmin()
    peer.admins = admins
    if (hasAdmin() !== before) onAdmins(admins)
  }

  function forget(name: string): void {
    const peer = peers.get(name)
    if (peer === undefined) return
    clearTimeout(peer.forget)
    for (const clientId of [...peer.visitors]) set(peer, clientId, false)
    setAdmins(peer, false)
    peers.delete(name)
  }

  function peerOf(name: string): Peer {
    const known = peers.get(name)
    if (known !== undefined) {
      known.forget.refresh()
      return known
    }
    const forgetting = setTimeout(() => forget(name), FORGET_MS).unref()
    const peer: Peer = { version: 0, admins: false, visitors: new Set(), forget: forgetting }
    peers.set(name, peer)
    // It may be new, and know nobody.
    tellSoon()
    return peer
  }

  return {
    hasVisitor,
    hasAdmin,
    *visitors() {
      for (const peer of peers.values()) yield* peer.visitors
    },
    visitorChanged(clientId, online) {
      changed.set(clientId, online)
      tellSoon()
    },
    adminsChanged: tellSoon,
    hear(news) {
      if ('ask' in news) {
        if (news.ask === node) answering ??= setTimeout(tellEverything, ANSWER_WITHIN_MS).unref()
        return
      }
      if ('gone' in news) {
        const peer = peers.get(news.gone)
        clearTimeout(peer?.forget)
        if (peer !== undefined) peer.forget = setTimeout(() => forget(news.gone), graceMs).unref()
        return
      }
      const peer = peerOf(news.node)
      setAdmins(peer, news.admins)
      if ('visitors' in news) {
        const all = new Set(news.visitors)
        for (const clientId of [...peer.visitors]) if (!all.has(clientId)) set(peer, clientId, false)
        for (const clientId of all) set(peer, clientId, true)
        peer.version = news.version
      } else if (news.changed !== undefined && news.version === peer.version + 1) {
        for (const [clientId, online] of news.changed) set(peer, clientId, online)
        peer.version = news.version
      } else if (news.version !== peer.version) {
        say({ ask: news.node })
      }
    },
    leave() {
      clearInterval(beat)
      clearTimeout(telling)
      clearTimeout(answering)
      for (const { forget: forgetting } of peers.values()) clearTimeout(forgetting)
      say({ gone: node })
      left = true
    },
  }
}
