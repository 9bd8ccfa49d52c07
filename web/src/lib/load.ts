import { AppError } from '@proctorpass/shared/errors'
import type { RenderInput } from '@proctorpass/shared/ssr'
import { data, type LoaderFunctionArgs } from 'react-router-dom'
import { callApi } from './api.ts'

/** What a loader is given: on the server with a way into the API that needs no network. */
export type LoadArgs = Pick<LoaderFunctionArgs, 'request' | 'params'> & {
  context?: Partial<Pick<RenderInput, 'fetchApi'>>
}

/**
 * Reads from the REST API, on the server and in the browser alike. Null where it could not be read, so that the rest
 * of the page still shows; the page of an unknown address where there is no such thing.
 */
export async function load<T>(path: string, { request, context }: LoadArgs): Promise<T | null> {
  try {
    if (!context?.fetchApi) return await callApi<T>(path, { signal: request.signal })
    const { status, json } = await context.fetchApi(path)
    if (status === 404) throw notFound()
    return status === 200 ? ((await json()) as T) : null
  } catch (error) {
    if (error instanceof AppError) {
      if (error.code === 'not-found') throw notFound()
      return null
    }
    // Thrown on purpose: not found, or a visitor who went elsewhere meanwhile.
    throw error
  }
}

/** What a loader answers. A page that lacks a part has status 503, so that nobody keeps it. */
export function loaded<T extends Record<string, unknown>>(parts: T): T | ReturnType<typeof data<T>> {
  return Object.values(parts).includes(null) ? data(parts, { status: 503 }) : parts
}

/** To be thrown by a loader whose address leads nowhere. */
export function notFound() {
  return data(null, { status: 404, statusText: 'Not Found' })
}

/** The page number that an address asks for; throws the page of an unknown address for what is none. */
export function pageNumber(url: string): number {
  const asked = new URL(url).searchParams.get('page') ?? '1'
  if (!/^[1-9]\d{0,5}$/.test(asked)) throw notFound()
  return Number(asked)
}

/** Throws the page of an unknown address for a page beyond the end of its list. The first page never is. */
export function withinList(page: number, items: readonly unknown[] | undefined): void {
  if (page > 1 && items?.length === 0) throw notFound()
}
