import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ServerEntry } from '@proctorpass/shared/ssr'
import { CachedResponse } from '../http/cached-response.ts'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wav': 'audio/wav',
  '.webm': 'audio/webm',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** The output of `npm run build`. */
export interface WebBuild {
  /** The files by path, such as `/assets/index-1a2b3c.js`. They are few and small enough to stay in memory. */
  files: ReadonlyMap<string, CachedResponse>
  template: string
  /** The template for the page in a site's frame. */
  frameTemplate: string
  /** The script that other websites' pages load. */
  loader: string
  entry: ServerEntry
}

export async function loadWebBuild(distDir: string): Promise<WebBuild> {
  const clientDir = join(distDir, 'client')
  const frameDir = join(distDir, 'frame')
  const templateFile = join(clientDir, 'index.html')
  if (!existsSync(templateFile)) throw new Error(`The pages aren't built yet: run "npm run build".`)
  return {
    files: new Map([...readFiles(clientDir), ...readFiles(frameDir)]),
    template: readFileSync(templateFile, 'utf8'),
    frameTemplate: readFileSync(join(frameDir, 'frame.html'), 'utf8'),
    loader: readFileSync(join(distDir, 'loader/loader.js'), 'utf8'),
    entry: await import(pathToFileURL(join(distDir, 'server/entry-server.js')).href),
  }
}

function readFiles(dir: string): Map<string, CachedResponse> {
  const found = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = new Set(found.map(({ parentPath, name }) => join(parentPath, name)))
  const read = (path: string) => (paths.has(path) ? readFileSync(path) : undefined)
  const files = new Map<string, CachedResponse>()
  for (const path of paths) {
    const name = relative(dir, path)
    // Other files, such as the manifest and the compressed copies, are not served.
    const type = name.startsWith('.vite') ? undefined : TYPES[extname(name)]
    if (type === undefined) continue
    const address = `/${name.replaceAll('\\', '/')}`
    const gzip = read(`${path}.gz`)
    const body = gzip === undefined ? { plain: readFileSync(path) } : { gzip, br: read(`${path}.br`) }
    files.set(address, new CachedResponse({ address, type, ...body }))
  }
  return files
}
