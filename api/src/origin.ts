/**
 * Whether a page of this origin is one of ours: PUBLIC_URL's, or of the host that the request itself names, so
 * that localhost and 127.0.0.1 both work. `null` (a sandboxed frame, a file) never is.
 */
export function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (origin === publicUrl) return true
  if (host === undefined || !URL.canParse(origin)) return false
  const { protocol, host: named } = new URL(origin)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  const url = `${protocol}//${host}`
  return URL.canParse(url) && new URL(url).host === named
}
