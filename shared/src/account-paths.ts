/** The admin's own picture. It stands alone, so that pages without it need not load it. */
export const facePath = '/account/face'

/** REST paths under API_PREFIX for an admin's own account: its factors, sessions, and devices. */
export const accountPaths = {
  account: '/account',
  password: '/account/password',
  factors: '/account/factors',
  totp: '/account/totp',
  totpConfirm: '/account/totp/confirm',
  recovery: '/account/recovery',
  passkeyOptions: '/account/passkeys/options',
  passkeys: '/account/passkeys',
  passkey: (id: string) => `/account/passkeys/${encodeURIComponent(id)}`,
  sessions: '/account/sessions',
  session: (id: string) => `/account/sessions/${encodeURIComponent(id)}`,
  push: '/account/push',
  pushTest: '/account/push/test',
  pushKey: '/push/key',
  confirm: '/auth/confirm',
  passkeySignIn: '/auth/passkey',
  passkeySignInOptions: '/auth/passkey/options',
} as const
