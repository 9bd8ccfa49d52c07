/** The only Trusted Types policy that the Content-Security-Policy of our pages allows. */
export const TRUSTED_TYPES_POLICY = 'checked-html'
