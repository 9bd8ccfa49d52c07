/** The loader's own texts in its two languages. The frame has all others. */
const WORDS = {
  en: { name: 'Live chat', close: 'Close', failed: "The chat couldn't be loaded." },
  zh: { name: '在线客服', close: '关闭', failed: '无法加载聊天。' },
}

/**
 * Returns the locale's text, else that of the longest tag with which it begins, else the English one. The tags are in
 * lower case. `locale` comes from the page's call, perhaps as `zh_CN`, and null means the browser's.
 */
export function inLanguage<Text>(texts: { en: Text; [tag: string]: Text }, locale: string | null): Text {
  let tag: string | undefined = (locale || navigator.language || '').toLowerCase()
  while (tag && !texts[tag]) tag = /^(.+)[-_]/.exec(tag)?.[1]
  return tag ? (texts[tag] as Text) : texts.en
}

export const wordsOf = (locale: string | null) => inLanguage(WORDS, locale)
