import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A page is what it was given, as JSON; its path is read as a link, as the real router does. `/blogs`, `/reviews` and `/blog/{slug}` read what the real ones read. */
const ENTRY = `
export const notFoundKey = '/404'
export const missingPostKey = '/blog/404'
export const postSlug = (url) => /^\\/blog\\/([^/]+)$/.exec(new URL(url).pathname)?.[1] ?? null
export const pageKey = (url) => {
  const { pathname, searchParams } = new URL(url)
  if (pathname.startsWith('/unknown')) return notFoundKey
  if (pathname.startsWith('/dashboard')) return '/dashboard'
  return pathname + (pathname === '/blogs' && searchParams.has('page') ? '?page=' + searchParams.get('page') : '')
}
export const missingWords = (pages) => {
  const posts = pages.filter(({ path }) => path.startsWith('/blog/'))
  const words = new Set(posts.flatMap(({ title }) => title.toLowerCase().split(' ')).concat('refunds'))
  return (text) => {
    const asked = [...new Set(text.toLowerCase().match(/[a-z]{3,}/g))]
    return asked.some((word) => words.has(word)) ? null : asked
  }
}
export const renderFrame = ({ site }, template) => template.replace('STATE', () => JSON.stringify(site))
export async function render({ url, form, fetchApi }, template) {
  const { pathname, search } = new URL(url)
  new URL(pathname, 'http://localhost')
  const isPrivate = pathname.startsWith('/blog/preview/')
  const path = (pathname + search).replace('/blog/preview/', '/blogs/preview/').replace(/^\\/blog\\//, '/blogs/one/')
  const answer = /^\\/(blogs|reviews)/.test(path) ? await fetchApi(path) : null
  const page = { url, form, data: await answer?.json() }
  return { kind: 'page', status: pathname === notFoundKey ? 404 : answer && answer.status >= 429 ? 503 : (answer?.status ?? 200), html: template.replace('BODY', () => JSON.stringify(page)), isPrivate }
}`

/** A build of pages that are easy to read in tests. Remove it with the test. */
export function makeWebBuild(): { distDir: string; remove: () => void } {
  const distDir = mkdtempSync(join(tmpdir(), 'web-build-'))
  mkdirSync(join(distDir, 'client/assets'), { recursive: true })
  mkdirSync(join(distDir, 'server'))
  mkdirSync(join(distDir, 'loader'))
  mkdirSync(join(distDir, 'frame'))
  writeFileSync(join(distDir, 'client/index.html'), 'BODY')
  writeFileSync(join(distDir, 'frame/frame.html'), 'STATE')
  writeFileSync(join(distDir, 'loader/loader.js'), 'load(EMBED_SITE)')
  writeFileSync(join(distDir, 'client/assets/app-1a2b.js'), 'plain')
  writeFileSync(join(distDir, 'client/assets/app-1a2b.js.br'), 'br')
  writeFileSync(join(distDir, 'server/entry-server.js'), ENTRY)
  return { distDir, remove: () => rmSync(distDir, { recursive: true }) }
}
