// A module shared with the widget would become a separate file.
declare module '*/back-text.ts?settings' {
  export const backText: typeof import('./back-text.ts')['backText']
}

type Words = import('./words.ts').Words

declare module 'virtual:words/launcher' {
  const words: Omit<Words['launcher'], 'unread' | 'quickReplies' | 'dismiss'>
  export default words
}
declare module 'virtual:words/launcher.unread' {
  const unread: Words['launcher']['unread']
  export default unread
}
declare module 'virtual:words/launcher.quickReplies' {
  const quickReplies: string
  export default quickReplies
}
declare module 'virtual:words/launcher.dismiss' {
  const dismiss: string
  export default dismiss
}
declare module 'virtual:words/view' {
  const words: Words['view']
  export default words
}
declare module 'virtual:words/panel' {
  const words: Words['panel']
  export default words
}
declare module 'virtual:words/panel.online' {
  const online: string
  export default online
}
declare module 'virtual:words/later' {
  const words: Words['later']
  export default words
}
declare module 'virtual:words/attach' {
  const words: Words['attach']
  export default words
}
declare module 'virtual:words/files' {
  const words: Words['files']
  export default words
}
declare module 'virtual:words/mailed' {
  const words: Words['mailed']
  export default words
}
