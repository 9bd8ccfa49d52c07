/** The labels' two languages. The frame has all other texts. */
const WORDS = {
  en: { name: 'Live chat', close: 'Close', failed: "The chat couldn't be loaded." },
  zh: { name: '在线客服', close: '关闭', failed: '无法加载聊天。' },
}

export type Language = keyof typeof WORDS

/** Returns the language. `locale` comes from the page's call, and null means the browser's. */
export function languageOf(locale: string | null): Language {
  return (locale || navigator.language || '').toLowerCase().indexOf('zh') === 0 ? 'zh' : 'en'
}

export const wordsOf = (locale: string | null) => WORDS[languageOf(locale)]
