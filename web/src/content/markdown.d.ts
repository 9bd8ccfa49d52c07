declare module '*.md?article' {
  export const { meta, headings, html, load }: import('./markdown.ts').Article
}

declare module '*.md?questions' {
  const groups: import('./markdown.ts').QuestionGroup[]
  export default groups
}
