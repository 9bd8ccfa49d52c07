import Type, { type Static } from 'typebox'

/** Posts that may answer a question, newest first. The FAQ and the articles are in the pages' build. */
export const SuggestionsSchema = Type.Object({
  pages: Type.Array(
    Type.Object({
      /** A path of ours. */
      path: Type.String(),
      title: Type.String(),
      /** What the post is found by beside its title, with spaces between. */
      terms: Type.String(),
    }),
  ),
})
export type Suggestions = Static<typeof SuggestionsSchema>
