import en from '@proctorpass/shared/languages/en.json'
import zh from '@proctorpass/shared/languages/zh.json'
import { vi } from 'vitest'
import { partsOf } from '../chat/language/language.ts'

export const english = partsOf(en)
export const chinese = partsOf(zh)

/** Answers requests for these languages' words as the server does, and returns the addresses that were asked for. */
export function serveWords(files: Record<string, object> = { zh }): string[] {
  const asked: string[] = []
  const { fetch } = globalThis
  vi.stubGlobal('fetch', async (input: string | URL | Request, options?: RequestInit) => {
    const [, tag = ''] = /^\/words\/(.*)\.json/.exec(String(input)) ?? []
    if (tag === '') return fetch(input, options)
    asked.push(String(input))
    return tag in files ? Response.json(files[tag]) : Response.json({ code: 'not-found' }, { status: 404 })
  })
  return asked
}
