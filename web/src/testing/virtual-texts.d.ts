declare module 'virtual:sample-texts' {
  const texts: {
    pages: Record<string, import('@proctorpass/shared/page-text').PageText<Record<string, unknown>>>
    suggested: import('@proctorpass/shared/schemas/suggestion').SuggestedPage[]
    listed: import('@proctorpass/shared/page-text').ListedText[]
  }
  export default texts
}
