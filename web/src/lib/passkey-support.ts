/** Whether the browser has passkeys: over HTTPS and on localhost. Apart, so that asking loads nothing else. */
export function hasPasskeys(): boolean {
  return typeof window !== 'undefined' && 'PublicKeyCredential' in window
}
