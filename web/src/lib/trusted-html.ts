import { TRUSTED_TYPES_POLICY } from '@proctorpass/shared/trusted-types'
import { useMemo } from 'react'
import { WORKER_PATH } from './worker-messages.ts'

/** TypeScript's DOM types lack this interface. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(html: string): string; createScriptURL(): string },
  ): { createHTML(html: string): TrustedHTML; createScriptURL(url: ''): string }
}

/**
 * The only policy that the Content-Security-Policy allows. It changes no HTML: each export documents which HTML may
 * pass. The service worker is the only script that it allows. Undefined in browsers without Trusted Types.
 *
 * @see docs/decisions/0039-trusted-types.md
 */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
  TRUSTED_TYPES_POLICY,
  { createHTML: (html) => html, createScriptURL: () => WORKER_PATH },
)

/**
 * Returns HTML for `dangerouslySetInnerHTML`. The server must have sanitized it, or the build must have made it from our
 * own texts. The same HTML returns the same object, because React would otherwise set it again on each render.
 */
export function useTrustedHtml(html: string): { __html: TrustedHTML | string } {
  return useMemo(() => ({ __html: policy?.createHTML(html) ?? html }), [html])
}

/**
 * Returns HTML for `DOMParser`, and for nothing else. The HTML may have any origin, because the parsed document runs
 * and loads nothing. It is typed as a string, because DOMParser's types accept nothing else.
 */
export function htmlToParse(html: string): string {
  return (policy?.createHTML(html) ?? html) as string
}

/**
 * Returns the URL for `serviceWorker.register`. It is typed as a string, because that function's types accept nothing
 * else.
 */
export function workerUrl(): string {
  return policy?.createScriptURL('') ?? WORKER_PATH
}
