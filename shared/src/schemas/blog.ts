import Type, { type Static } from 'typebox'
import { ListQuerySchema } from './list.ts'
import { UploadSchema } from './upload.ts'

/** A scheduled post becomes published at its time, by the server's clock. */
const PostStateSchema = Type.Union([
  Type.Literal('draft'),
  Type.Literal('scheduled'),
  Type.Literal('published'),
])

/** A post in a list, without its content. */
export const BlogSummarySchema = Type.Object({
  _id: Type.String(),
  title: Type.String(),
  slug: Type.String(),
  summary: Type.String(),
  /** The image's absolute path or URL. */
  img: Type.String(),
  /** What the image shows. Empty for a decorative image, null while the image is not described. */
  imgAlt: Type.Union([Type.String(), Type.Null()]),
  /** The language in which the post is written, as a BCP 47 tag. */
  lang: Type.String(),
  state: PostStateSchema,
  /** When the post is or was published. Null for a draft. */
  publishAt: Type.Union([Type.String(), Type.Null()]),
  /** The same time once it has passed, otherwise null. Public pages show it as the post's date. */
  publishedAt: Type.Union([Type.String(), Type.Null()]),
  /** The name that visitors see of the admin who wrote the post. Null where the author is not known. */
  author: Type.Union([Type.String(), Type.Null()]),
  /** How many minutes the post takes to read. At least 1. */
  readingMinutes: Type.Integer(),
  /** The time in ISO 8601, UTC, with milliseconds. */
  createdAt: Type.String(),
  updatedAt: Type.String(),
  /** Whether the first start created the post, and it has not changed since. */
  sample: Type.Boolean(),
})
export type BlogSummary = Static<typeof BlogSummarySchema>

export const BlogSchema = Type.Object({
  ...BlogSummarySchema.properties,
  /** The content as sanitized HTML. */
  content: Type.String(),
  /** The version is 1 when created, and grows by one with each change. */
  version: Type.Integer(),
  /** When the link to the preview expires. Only admins who read the post by its ID or state see it. */
  previewExpiresAt: Type.Optional(Type.String()),
})
export type Blog = Static<typeof BlogSchema>

/** A post that was just written. `cleaned` is as in UploadSchema, for its image. */
export const WrittenBlogSchema = Type.Object({
  ...BlogSchema.properties,
  cleaned: UploadSchema.properties.cleaned,
})
export type WrittenBlog = Static<typeof WrittenBlogSchema>

/** The answer to POST and PATCH. */
export const SavedBlogSchema = Type.Object({ message: Type.String(), data: WrittenBlogSchema })
export type SavedBlog = Static<typeof SavedBlogSchema>

/**
 * The fields in a post's form, which is multipart with the image as `file`. A draft requires `title` and `slug`. A
 * scheduled or published post also requires `summary`, `content`, and the file. A change requires only what the stored
 * post lacks. Without `state`, a new post is published at once, or scheduled if there is a `publishAt`, and a change keeps
 * the state. `publishAt` is an ISO 8601 time in the future, for a scheduled post only. `imgAlt` describes the image, and is empty for a decorative one. A
 * new image without `imgAlt` is not described yet. `lang` is the post's language, English by default. `version`, as text, is the edited version: if another one is stored,
 * the change is refused with `conflict` and a detail for `version`.
 */
export const BlogFormSchema = Type.Object({
  title: Type.Optional(Type.String()),
  summary: Type.Optional(Type.String()),
  slug: Type.Optional(Type.String()),
  content: Type.Optional(Type.String()),
  imgAlt: Type.Optional(Type.String()),
  lang: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  publishAt: Type.Optional(Type.String()),
})
export type BlogForm = Static<typeof BlogFormSchema>

/** A post's content: in the request as typed, and in the answer as it would be stored and shown. */
export const BlogPreviewSchema = Type.Object({ content: Type.String() })
export type BlogPreview = Static<typeof BlogPreviewSchema>

/**
 * Posts, the latest published first. Admins list drafts first, then scheduled posts, the next one first. `message` is present only if `blogs` is empty, which includes pages beyond the end. `count`
 * counts all posts.
 */
export const BlogListSchema = Type.Object({
  blogs: Type.Array(BlogSummarySchema),
  count: Type.Integer(),
  message: Type.Optional(Type.String()),
})
export type BlogList = Static<typeof BlogListSchema>

/**
 * The query of a list of posts. Only admins may send `state`: one or several states by comma. Without it, published posts
 * are listed.
 */
export const BlogListQuerySchema = Type.Object({
  ...ListQuerySchema.properties,
  state: Type.Optional(Type.String({ maxLength: 64 })),
})
export type BlogListQuery = Static<typeof BlogListQuerySchema>

export const BlogStateQuerySchema = Type.Object({ state: BlogListQuerySchema.properties.state })

/** A new link to a post's preview. Only this answer has the token. */
export const PreviewLinkSchema = Type.Object({ url: Type.String(), expiresAt: Type.String() })
export type PreviewLink = Static<typeof PreviewLinkSchema>

export const PreviewTokenParamSchema = Type.Object({ token: Type.String({ maxLength: 2_048 }) })

/** The schema accepts any text, because the server answers text that is not a slug with 404. */
export const SlugParamSchema = Type.Object({ slug: Type.String({ maxLength: 2_048 }) })

export const BlogIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })
