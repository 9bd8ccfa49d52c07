// The query makes each part of the file its own module, in the chunk that imports it.
type English = typeof import('../words/en.ts')
declare module '*/en.ts?launcher' {
  export const launcher: English['launcher']
}
declare module '*/en.ts?card' {
  export const card: English['card']
}
declare module '*/en.ts?view' {
  export const view: English['view']
}
declare module '*/en.ts?panel' {
  export const panel: English['panel']
}
declare module '*/en.ts?later' {
  export const later: English['later']
}
declare module '*/en.ts?attach' {
  export const attach: English['attach']
}
declare module '*/en.ts?files' {
  export const files: English['files']
}
declare module '*/en.ts?mailed' {
  export const mailed: English['mailed']
}
// The settings preview these parts. A module shared with the widget would become a separate file.
declare module '*/back-text.ts?settings' {
  export const backText: typeof import('./back-text.ts')['backText']
}
declare module '*/zh.ts?settings' {
  const zh: typeof import('../words/en.ts')
  export default zh
}
