declare module '*.md?questions' {
  const groups: import('./markdown.ts').QuestionGroup[]
  export default groups
}
