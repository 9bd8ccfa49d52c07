/** Wraps a function, so that its errors do not reach the page. */
export function guarded<Given = void>(work: (given: Given) => void): (given: Given) => void {
  return (given) => {
    try {
      work(given)
    } catch {}
  }
}

export function warn(text: string): void {
  try {
    // biome-ignore lint/suspicious/noConsole: developers of the site's pages read it
    console.warn(`SupportChat: ${text}`)
  } catch {}
}

/** Does what `forEach` does, because a page may have replaced that. */
export function each<Item>(list: ArrayLike<Item>, work: (item: Item) => void): void {
  for (let index = 0; index < list.length; index++) work(list[index] as Item)
}
