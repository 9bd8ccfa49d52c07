const BADGE = /^\(\d+\) /

let count = 0
let observer: MutationObserver | null = null

/** Prefixes the tab's title with "(2) ", and again after a navigation changes the title. 0 removes the prefix. */
export function setTitleBadge(unread: number): void {
  count = unread
  apply()
  if (count === 0) {
    observer?.disconnect()
    observer = null
  } else if (!observer) {
    observer = new MutationObserver(apply)
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
  }
}

function apply(): void {
  const title = document.title.replace(BADGE, '')
  const badged = count > 0 ? `(${count}) ${title}` : title
  if (document.title !== badged) document.title = badged
}
