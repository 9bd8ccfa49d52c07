import Type, { type Static } from 'typebox'

/** A post as lists show it: without its content. */
export const BlogSummarySchema = Type.Object({
  _id: Type.String(),
  title: Type.String(),
  slug: Type.String(),
  summary: Type.String(),
  /** Absolute path or URL of the image. */
  img: Type.String(),
  /** ISO 8601, UTC, milliseconds. */
  createdAt: Type.String(),
  updatedAt: Type.String(),
})
export type BlogSummary = Static<typeof BlogSummarySchema>

export const BlogSchema = Type.Object({
  ...BlogSummarySchema.properties,
  /** Sanitised HTML. */
  content: Type.String(),
})
export type Blog = Static<typeof BlogSchema>

/** Newest first. `message` only when `blogs` is empty, also beyond the end; `count` is of all. */
export const BlogListSchema = Type.Object({
  blogs: Type.Array(BlogSummarySchema),
  count: Type.Integer(),
  message: Type.Optional(Type.String()),
})
export type BlogList = Static<typeof BlogListSchema>

/** Any text may be asked for: what no post can be called is simply not found. */
export const SlugParamSchema = Type.Object({ slug: Type.String({ maxLength: 2_048 }) })
