import { TRUSTED_TYPES_POLICY } from '@proctorpass/shared/trusted-types'
import { useMemo } from 'react'
import { WORKER_PATH } from './worker-messages.ts'

/** Missing in TypeScript's DOM types. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(html: string): string; createScriptURL(): string },
  ): { createHTML(html: string): TrustedHTML; createScriptURL(url: ''): string }
}

/**
 * The one policy that the Content-Security-Policy allows. It changes no HTML: each export documents which may pass. Of
 * scripts it knows only the service worker. Undefined in browsers without Trusted Types.
 *
 * @see docs/decisions/0039-trusted-types.md
 */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
  TRUSTED_TYPES_POLICY,
  { createHTML: (html) => html, createScriptURL: () => WORKER_PATH },
)

/**
 * For `dangerouslySetInnerHTML`: HTML that the server sanitized, that the build made from our own texts, or that is part
 * of a package. The same object for the same HTML, or React would set it again on each render.
 */
export function useTrustedHtml(html: string): { __html: TrustedHTML | string } {
  return useMemo(() => ({ __html: policy?.createHTML(html) ?? html }), [html])
}

/**
 * For `DOMParser` only: HTML of any origin, because the parsed document runs and loads nothing. Typed as a string, the
 * only type that DOMParser's types accept.
 */
export function htmlToParse(html: string): string {
  return (policy?.createHTML(html) ?? html) as string
}

/** For `serviceWorker.register`. Typed as a string, the only type that its types accept. */
export function workerUrl(): string {
  return policy?.createScriptURL('') ?? WORKER_PATH
}
