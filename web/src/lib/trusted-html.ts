import { TRUSTED_TYPES_POLICY } from '@proctorpass/shared/trusted-types'
import { useMemo } from 'react'

/** What TypeScript's types of the DOM lack. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(html: string): string },
  ): { createHTML(html: string): TrustedHTML }
}

/**
 * Our pages' Content-Security-Policy refuses a string where markup is expected, and allows this one policy. It
 * changes nothing: each export says which HTML may come through it. Undefined in browsers without Trusted Types.
 */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
  TRUSTED_TYPES_POLICY,
  { createHTML: (html) => html },
)

/**
 * For `dangerouslySetInnerHTML`: HTML that the server has cleaned, that the build has made of our own texts, or that
 * a package carries in its code. The same object for the same HTML, or React would set it again at each render.
 */
export function useTrustedHtml(html: string): { __html: TrustedHTML | string } {
  return useMemo(() => ({ __html: policy?.createHTML(html) ?? html }), [html])
}

/**
 * For `DOMParser` alone: HTML of any origin. Nothing runs or loads in the document that it makes. A TrustedHTML is
 * typed as a string because DOMParser's types know no other.
 */
export function htmlToParse(html: string): string {
  return (policy?.createHTML(html) ?? html) as string
}
