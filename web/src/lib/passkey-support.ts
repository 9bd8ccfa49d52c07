/**
 * Returns whether the browser has passkeys, which need HTTPS or localhost. This is a separate file, so that asking
 * loads nothing else.
 */
export function hasPasskeys(): boolean {
  return typeof window !== 'undefined' && 'PublicKeyCredential' in window
}
