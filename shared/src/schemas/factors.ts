import Type, { type Static } from 'typebox'
import { PASSWORD_MAX } from '../limits.ts'

/** What an account may prove besides its password. */
const FactorKindSchema = Type.Union([Type.Literal('totp'), Type.Literal('recovery'), Type.Literal('passkey')])
export type FactorKind = Static<typeof FactorKindSchema>

/**
 * The answer to a correct password for an account with a second factor. The challenge is good once, for five minutes.
 */
export const ChallengeSchema = Type.Object({
  message: Type.String(),
  challenge: Type.String(),
  factors: Type.Array(FactorKindSchema),
})
export type Challenge = Static<typeof ChallengeSchema>

const CodeSchema = Type.String({ maxLength: 64 })

const ChallengeTokenSchema = Type.String({ minLength: 1, maxLength: 128 })
const Base64Url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' })
/** A credential's ID, for which WebAuthn allows 1,023 bytes. */
const CredentialIdSchema = Base64Url(1_364)
const ClientDataSchema = Base64Url(4_096)
const credential = {
  id: CredentialIdSchema,
  rawId: CredentialIdSchema,
  type: Type.Literal('public-key'),
  clientExtensionResults: Type.Object({}),
}

/** A passkey's signature: WebAuthn's `AuthenticationResponseJSON`, in base64url. */
export const PasskeyAnswerSchema = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: ClientDataSchema,
    authenticatorData: Base64Url(4_096),
    signature: Base64Url(4_096),
    /** The user ID. Missing for a passkey that is stored only on its device. */
    userHandle: Type.Optional(Base64Url(128)),
  }),
})
export type PasskeyAnswer = Static<typeof PasskeyAnswerSchema>

/** A second factor, which is one of three: the authenticator app's code, a recovery code, or a passkey's signature. */
export const FactorAnswerSchema = Type.Object({
  challenge: ChallengeTokenSchema,
  code: Type.Optional(CodeSchema),
  recovery: Type.Optional(CodeSchema),
  passkey: Type.Optional(PasskeyAnswerSchema),
})
export type FactorAnswer = Static<typeof FactorAnswerSchema>

/** A proof of identity, which is one of the three fields. */
export const ProofSchema = Type.Object({
  password: Type.Optional(Type.String({ maxLength: PASSWORD_MAX })),
  /** The authenticator app's code. */
  code: Type.Optional(CodeSchema),
  /** The answer to a question from `POST /auth/passkey/options` without a challenge. */
  passkey: Type.Optional(PasskeyAnswerSchema),
})
export type Proof = Static<typeof ProofSchema>

/** With a sign-in's challenge, the passkey is its second step. Without a challenge or a body, it signs in alone. */
export const PasskeyQuestionSchema = Type.Union([
  Type.Object({ challenge: Type.Optional(ChallengeTokenSchema) }),
  Type.Null(),
])

/**
 * WebAuthn's `options`, for the browser. `origin` is the address at which this site has passkeys. At another address,
 * the browser refuses.
 */
export const PasskeyOptionsSchema = Type.Object({
  origin: Type.String(),
  options: Type.Object({}, { additionalProperties: true }),
})
export type PasskeyOptions = Static<typeof PasskeyOptionsSchema>

export const PasskeySignInSchema = Type.Object({ response: PasskeyAnswerSchema })

/** A new passkey: WebAuthn's `RegistrationResponseJSON`. The use case judges the name. */
export const NewPasskeySchema = Type.Object({
  name: Type.String(),
  response: Type.Object({
    ...credential,
    response: Type.Object({
      clientDataJSON: ClientDataSchema,
      attestationObject: Base64Url(32_768),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 8 })),
    }),
  }),
})
export type NewPasskey = Static<typeof NewPasskeySchema>

export const PasskeyChangeSchema = Type.Object({ name: Type.String() })

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const PasskeyIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })

export const PasskeySchema = Type.Object({
  _id: Type.String(),
  name: Type.String(),
  /** The time in ISO 8601. */
  createdAt: Type.String(),
  /** The time in ISO 8601. Null if the passkey was never used. */
  lastUsedAt: Type.Union([Type.String(), Type.Null()]),
})
export type Passkey = Static<typeof PasskeySchema>

/**
 * The caller's factors. `recovery` is the number of codes that are left. `passkeyOrigin` is the address at which this
 * site has passkeys. Null means that it has none, because passkeys need HTTPS and a domain name.
 */
export const FactorsSchema = Type.Object({
  passkeys: Type.Array(PasskeySchema),
  passkeyOrigin: Type.Union([Type.String(), Type.Null()]),
  totp: Type.Boolean(),
  recovery: Type.Integer(),
})
export type Factors = Static<typeof FactorsSchema>

/** The data to set up an authenticator app. `secret` is base32, for typing; `uri` is for the QR code. */
export const TotpSetupSchema = Type.Object({ secret: Type.String(), uri: Type.String() })
export type TotpSetup = Static<typeof TotpSetupSchema>

export const TotpCodeSchema = Type.Object({ code: CodeSchema })

/** No other answer has the codes. The list is empty if the account already has a factor. */
export const RecoveryCodesSchema = Type.Object({ recovery: Type.Array(Type.String()) })
export type RecoveryCodes = Static<typeof RecoveryCodesSchema>
