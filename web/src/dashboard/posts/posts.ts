import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import { POST_STATES, type PostState } from '@proctorpass/shared/post-states'
import type { Blog, BlogPreview, PreviewLink, SavedBlog } from '@proctorpass/shared/schemas/blog'
import type { Upload, Uploaded } from '@proctorpass/shared/schemas/upload'
import { sendForm } from '../../lib/send-form.ts'
import { callAsAdmin, withToken } from '../../lib/session.ts'

/** The query key of every list of posts. */
export const POSTS = ['posts'] as const

/** The text fields in a post's form. */
export interface PostFields {
  title: string
  summary: string
  slug: string
  /** HTML, or empty if the editor shows nothing. */
  content: string
  /** What the image shows. */
  imgAlt: string
  isDecorative: boolean
  /** The language in which the post is written. */
  lang: string
}

export const NO_POST: PostFields = {
  ...{ title: '', summary: '', slug: '', content: '' },
  ...{ imgAlt: '', isDecorative: false, lang: 'en' },
}

/** Returns only the fields among these values. */
export function fieldsOf(values: PostFields): PostFields {
  const { title, summary, slug, content, imgAlt, isDecorative, lang } = values
  return { title, summary, slug, content, imgAlt, isDecorative, lang }
}

export function storedFields({ imgAlt, ...blog }: Blog): PostFields {
  return fieldsOf({ ...blog, imgAlt: imgAlt ?? '', isDecorative: imgAlt === '' })
}

/** The query that asks for posts in any state. */
export const ANY_STATE = `state=${POST_STATES.join()}`

export function readPost(slug: string, signal?: AbortSignal): Promise<Blog> {
  return callAsAdmin<Blog>(`${paths.blog(slug)}?${ANY_STATE}`, { signal })
}

/** Reads a stored post by its ID, because its slug may have changed. */
export function readPostById(id: string): Promise<Blog> {
  return callAsAdmin<Blog>(adminPaths.blogOfId(id))
}

/** Returns the content as the server would store and show it. */
export async function previewContent(content: string, signal: AbortSignal): Promise<string> {
  const body: BlogPreview = { content }
  return (await callAsAdmin<BlogPreview>(adminPaths.blogPreview, { method: 'POST', body, signal })).content
}

type Progress = (share: number) => void

/** The state that a post gets, and the ISO time for a scheduled one. Empty if the state stays. */
export interface Standing {
  state?: PostState
  publishAt?: string
}

/** What a form sends. */
export interface PostToSend {
  fields: PostFields
  standing: Standing
  file: File | null
  /** The edited version. The server refuses the change if it stores another one. */
  version: number
  onProgress: Progress
}

export function createPost({ fields, standing, file, onProgress }: PostToSend): Promise<SavedBlog> {
  const form = formOf({ ...sentFields(fields), ...standing }, file)
  return sendFormAsAdmin(paths.blogs, form, { method: 'POST', onProgress })
}

export function changePost(id: string, post: PostToSend): Promise<SavedBlog> {
  const { fields, standing, file, version, onProgress } = post
  const form = formOf({ ...sentFields(fields), ...standing, version: String(version) }, file)
  return sendFormAsAdmin(adminPaths.blogById(id), form, { method: 'PATCH', onProgress })
}

/** Makes a post's preview link, which ends an earlier one. */
export function makePreviewLink(id: string): Promise<PreviewLink> {
  return callAsAdmin<PreviewLink>(adminPaths.previewLink(id), { method: 'POST' })
}

export function endPreviewLink(id: string): Promise<void> {
  return callAsAdmin<void>(adminPaths.previewLink(id), { method: 'DELETE' })
}

/** Uploads an image for a post's content. */
export async function uploadImage(file: File, onProgress: Progress): Promise<Upload> {
  const { data } = await sendFormAsAdmin<Uploaded>(paths.uploads, formOf({}, file), {
    method: 'POST',
    onProgress,
  })
  return data
}

/** Leaves out an empty description, because only a decorative image has one. */
function sentFields({ isDecorative, imgAlt, ...texts }: PostFields): Record<string, string> {
  if (isDecorative) return { ...texts, imgAlt: '' }
  return imgAlt === '' ? texts : { ...texts, imgAlt }
}

function formOf(fields: Record<string, string>, file: File | null): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  // The file is last, so that the server has read the fields before it.
  if (file) form.append('file', file)
  return form
}

interface SendOptions {
  method: 'POST' | 'PATCH'
  /** Receives the share that has been sent, from 0 to 1. */
  onProgress?: (share: number) => void
}

/** Sends a form with files as an admin. Rejects as `callAsAdmin` does. */
function sendFormAsAdmin<T>(path: string, form: FormData, options: SendOptions): Promise<T> {
  return withToken((token) => sendForm<T>(path, form, { ...options, authorization: `Bearer ${token}` }))
}
