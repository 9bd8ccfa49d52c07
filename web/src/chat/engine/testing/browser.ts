import type { Tab } from '../tab.ts'
import { MemoryFiles } from './attachments.ts'

/** A browser as the engine sees it: tabs share storage and locks, and each has its own window. */
export class Browser {
  readonly storage = new TabStorage(this)
  readonly tabs: TestTab[] = []
  readonly files = new MemoryFiles()
  private readonly lockPrefix = `${Math.random()}:`

  open(options: Partial<Pick<Tab, 'storage' | 'locks'>> = {}): TestTab {
    const tab = new TestTab(this, {
      storage: this.storage.for(() => tab),
      // Node's Web Locks are shared by the whole process; two browsers must not share any.
      locks: {
        request: (name, options, work) => navigator.locks.request(this.lockPrefix + name, options, work),
        query: async () => {
          const { held = [] } = await navigator.locks.query()
          const own = held.filter(({ name }) => name?.startsWith(this.lockPrefix))
          return { held: own.map(({ name }) => ({ name: name?.slice(this.lockPrefix.length) })) }
        },
      },
      ...options,
    })
    this.tabs.push(tab)
    return tab
  }
}

export class TestTab implements Tab {
  readonly storage: Tab['storage']
  readonly locks: Tab['locks']
  readonly events = new EventTarget()
  private readonly browser: Browser
  private online = true

  constructor(browser: Browser, { storage, locks }: Pick<Tab, 'storage' | 'locks'>) {
    this.browser = browser
    this.storage = storage
    this.locks = locks
  }

  isOnline = () => this.online
  isVisible = () => true

  goOffline() {
    this.online = false
    this.events.dispatchEvent(new Event('offline'))
  }

  goOnline() {
    this.online = true
    this.events.dispatchEvent(new Event('online'))
  }

  close() {
    this.browser.tabs.splice(this.browser.tabs.indexOf(this), 1)
  }
}

class TabStorage {
  readonly entries = new Map<string, string>()
  private readonly browser: Browser

  constructor(browser: Browser) {
    this.browser = browser
  }

  for(self: () => TestTab): Storage {
    const { entries } = this
    const notifyOthers = (key: string) => {
      for (const tab of this.browser.tabs) {
        if (tab === self()) continue
        queueMicrotask(() => tab.events.dispatchEvent(Object.assign(new Event('storage'), { key })))
      }
    }
    return {
      get length() {
        return entries.size
      },
      key: (index) => [...entries.keys()][index] ?? null,
      getItem: (key) => entries.get(key) ?? null,
      setItem: (key, value) => {
        entries.set(key, value)
        notifyOthers(key)
      },
      removeItem: (key) => {
        if (entries.delete(key)) notifyOthers(key)
      },
      clear: () => entries.clear(),
    }
  }
}

/** A full storage: it still reads and removes. */
export function fullStorage(): Storage {
  return {
    length: 0,
    key: () => null,
    getItem: () => null,
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
    removeItem: () => {},
    clear: () => {},
  }
}
