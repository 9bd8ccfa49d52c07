declare module '*.md?questions' {
  const groups: import('./markdown.ts').QuestionGroup[]
  export default groups
}

declare module '*.md?terms' {
  const questions: { id: string; title: string; terms: string }[]
  export default questions
}
