import { accountPaths } from '@proctorpass/shared/account-paths'
import { deviceOf } from '@proctorpass/shared/device'
import { AppError } from '@proctorpass/shared/errors'
import type { SignedIn } from '@proctorpass/shared/schemas/auth'
import type {
  Challenge,
  NewPasskey,
  PasskeyAnswer,
  PasskeyOptions,
  RecoveryCodes,
} from '@proctorpass/shared/schemas/factors'
import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from '@simplewebauthn/browser'
import { callApi } from './api.ts'
import { begin, callAsAdmin } from './session.ts'

/**
 * Asks the server for a passkey's question. With a sign-in's challenge, it is for the second step. Without one, any
 * passkey may answer.
 */
export function askForPasskey(challenge?: string): Promise<PasskeyOptions> {
  return callApi(accountPaths.passkeySignInOptions, { method: 'POST', body: { challenge } })
}

/**
 * Signs in with only a passkey. With `autofill`, the person chooses it among the username field's suggestions. Resolves
 * with null if the browser lacks autofill, or if another question replaced this one.
 */
export async function signInWithPasskey(
  question: PasskeyOptions,
  { autofill }: { autofill: boolean },
): Promise<SignedIn | Challenge | null> {
  if (autofill && !(await browserSupportsWebAuthnAutofill())) return null
  const response = await sign(question, autofill)
  return response && begin(accountPaths.passkeySignIn, { response })
}

/**
 * Returns a passkey's answer to a question. Rejects with an error that is worded for people. Resolves with null if the
 * question was canceled.
 */
export async function sign(question: PasskeyOptions, autofill = false): Promise<PasskeyAnswer | null> {
  refuseOtherOrigin(question)
  try {
    return (await startAuthentication({
      optionsJSON: question.options as never,
      useBrowserAutofill: autofill,
    })) as PasskeyAnswer
  } catch (error) {
    if (error instanceof WebAuthnError && error.code === 'ERROR_CEREMONY_ABORTED') return null
    throw problem('No passkey was used. Try again, or sign in another way.', error)
  }
}

/** Cancels a question that autofill still shows. */
export function stopAsking(): void {
  WebAuthnAbortService.cancelCeremony()
}

/** Makes a passkey for the account, named after this device. Rejects with an error that is worded for people. */
export async function addPasskey(): Promise<RecoveryCodes> {
  const question = await callAsAdmin<PasskeyOptions>(accountPaths.passkeyOptions, { method: 'POST' })
  refuseOtherOrigin(question)
  let response: NewPasskey['response']
  try {
    const optionsJSON = question.options as never
    response = (await startRegistration({ optionsJSON })) as NewPasskey['response']
  } catch (error) {
    const isKnown =
      error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
    const message = isKnown
      ? 'This device already has a passkey for your account.'
      : "No passkey was created. Try again when you're ready."
    throw problem(message, error)
  }
  const body: NewPasskey = { name: deviceOf(navigator.userAgent) ?? 'Passkey', response }
  return callAsAdmin(accountPaths.passkeys, { method: 'POST', body })
}

function refuseOtherOrigin({ origin }: PasskeyOptions): void {
  if (origin !== location.origin) throw problem(`Passkeys work only at ${origin}.`)
}

function problem(message: string, cause?: unknown): AppError {
  return new AppError('invalid-input', message, { cause })
}
