import { paths } from '@proctorpass/shared/paths'
import type { Blog, BlogPreview, SavedBlog } from '@proctorpass/shared/schemas/blog'
import type { Upload, Uploaded } from '@proctorpass/shared/schemas/upload'
import { callAsAdmin } from '../../lib/session.ts'
import { sendForm } from './send-form.ts'

/** Key of every list of posts. */
export const POSTS = ['posts'] as const

/** What stands in a post's form. */
export interface PostFields {
  title: string
  summary: string
  slug: string
  /** HTML; empty when the editor holds nothing that can be seen. */
  content: string
}

export const NO_POST: PostFields = { title: '', summary: '', slug: '', content: '' }

export function fieldsOf({ title, summary, slug, content }: PostFields): PostFields {
  return { title, summary, slug, content }
}

export function readPost(slug: string, signal?: AbortSignal): Promise<Blog> {
  return callAsAdmin<Blog>(paths.blog(slug), { signal })
}

/** The post as it is stored now, also when it has got another slug meanwhile. */
export function readPostById(id: string): Promise<Blog> {
  return callAsAdmin<Blog>(paths.blogOfId(id))
}

/** What the server would store of a content, and so what its page will show. */
export async function previewContent(content: string, signal: AbortSignal): Promise<string> {
  const body: BlogPreview = { content }
  return (await callAsAdmin<BlogPreview>(paths.blogPreview, { method: 'POST', body, signal })).content
}

type Progress = (share: number) => void

export function createPost(fields: PostFields, file: File, onProgress: Progress): Promise<SavedBlog> {
  return sendForm(paths.blogs, formOf({ ...fields }, file), { method: 'POST', onProgress })
}

/** `version` is the one that was edited: refused when somebody has saved another since. */
export function changePost(
  id: string,
  version: number,
  fields: PostFields,
  file: File | null,
  onProgress: Progress,
): Promise<SavedBlog> {
  const form = formOf({ ...fields, version: String(version) }, file)
  return sendForm(paths.blogById(id), form, { method: 'PATCH', onProgress })
}

/** A picture for the content of a post. */
export async function uploadPicture(file: File, onProgress: Progress): Promise<Upload> {
  const { data } = await sendForm<Uploaded>(paths.uploads, formOf({}, file), { method: 'POST', onProgress })
  return data
}

function formOf(fields: Record<string, string>, file: File | null): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  // Last, so that the fields have been read when it comes.
  if (file) form.append('file', file)
  return form
}
