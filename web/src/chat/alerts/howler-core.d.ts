/** Howler without its spatial plugin, which is a quarter of it. */
declare module 'howler/dist/howler.core.min.js' {
  export * from 'howler'
}
