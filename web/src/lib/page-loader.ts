import { AppError } from '@proctorpass/shared/errors'
import { type PageText, pageTextPath, type ShownTexts } from '@proctorpass/shared/page-text'
import type { RenderInput } from '@proctorpass/shared/ssr'
import { data, type LoaderFunctionArgs } from 'react-router'
import { callApi } from './api.ts'

/** What a loader receives. On the server, `fetchApi` and `texts` call the API within the process. */
export type LoaderArgs = Pick<LoaderFunctionArgs, 'request' | 'params'> & {
  context?: Partial<Pick<RenderInput, 'fetchApi' | 'texts'>>
}

/**
 * Reads from the REST API, on the server and in the browser. Resolves with null if the call fails, so that the rest of
 * the page is still shown. Throws the 404 response if the resource does not exist.
 */
export async function readApi<T>(path: string, { request, context }: LoaderArgs): Promise<T | null> {
  try {
    if (!context?.fetchApi) return await callApi<T>(path, { signal: request.signal })
    const { status, json } = await context.fetchApi(path)
    if (status === 404) throw notFoundResponse()
    return status === 200 ? ((await json()) as T) : null
  } catch (error) {
    if (error instanceof AppError) {
      if (error.code === 'not-found') throw notFoundResponse()
      return null
    }
    // This is a 404 response, or a navigation's abort.
    throw error
  }
}

/** Reads a page's text in the language of its address. Resolves with null if that fails. */
export async function readText<Key extends keyof ShownTexts>(
  key: string,
  args: LoaderArgs,
): Promise<PageText<ShownTexts[Key]> | null> {
  const lang = new URL(args.request.url).searchParams.get('lang') ?? 'en'
  const { texts } = args.context ?? {}
  const text = texts ? await texts.page(key, lang) : await readApi<PageText>(pageTextPath(key, lang), args)
  return text as PageText<ShownTexts[Key]> | null
}

/** Makes a loader's result. If a part is missing, the page has status 503, so that no cache stores it. */
export function loaderResult<T extends Record<string, unknown>>(parts: T): T | ReturnType<typeof data<T>> {
  return Object.values(parts).includes(null) ? data(parts, { status: 503 }) : parts
}

/** Makes the response that loaders throw. */
function notFoundResponse() {
  return data(null, { status: 404, statusText: 'Not Found' })
}

/** Returns an address's `?page=`. Throws the 404 response unless it is a positive integer. */
export function pageNumber(url: string): number {
  const asked = new URL(url).searchParams.get('page') ?? '1'
  if (!/^[1-9]\d{0,5}$/.test(asked)) throw notFoundResponse()
  return Number(asked)
}

/** Throws the 404 response for a page beyond the list's end. The first page always exists. */
export function assertPageExists(page: number, items: readonly unknown[] | undefined): void {
  if (page > 1 && items?.length === 0) throw notFoundResponse()
}
