import Type, { type Static } from 'typebox'
import { PASSWORD_MAX } from '../limits.ts'

/** What an account may prove besides its password. */
const FactorKindSchema = Type.Union([Type.Literal('totp'), Type.Literal('recovery')])
export type FactorKind = Static<typeof FactorKindSchema>

/** The answer to a right password of an account with a second factor. The challenge is good once, for five minutes. */
export const ChallengeSchema = Type.Object({
  message: Type.String(),
  challenge: Type.String(),
  factors: Type.Array(FactorKindSchema),
})
export type Challenge = Static<typeof ChallengeSchema>

const CodeSchema = Type.String({ maxLength: 64 })

/** One of the two: a code of the authenticator app, or a recovery code. */
export const FactorAnswerSchema = Type.Object({
  challenge: Type.String({ minLength: 1, maxLength: 128 }),
  code: Type.Optional(CodeSchema),
  recovery: Type.Optional(CodeSchema),
})
export type FactorAnswer = Static<typeof FactorAnswerSchema>

/** One of the two. */
export const ProofSchema = Type.Object({
  password: Type.Optional(Type.String({ maxLength: PASSWORD_MAX })),
  /** Of the authenticator app. */
  code: Type.Optional(CodeSchema),
})
export type Proof = Static<typeof ProofSchema>

/** The caller's factors. `recovery`: how many codes are left. */
export const FactorsSchema = Type.Object({ totp: Type.Boolean(), recovery: Type.Integer() })
export type Factors = Static<typeof FactorsSchema>

/** `secret` is base32, for typing; `uri` is for the QR code. */
export const TotpSetupSchema = Type.Object({ secret: Type.String(), uri: Type.String() })
export type TotpSetup = Static<typeof TotpSetupSchema>

export const TotpCodeSchema = Type.Object({ code: CodeSchema })

/** Only this answer has the codes. Empty when the account has codes already. */
export const RecoveryCodesSchema = Type.Object({ recovery: Type.Array(Type.String()) })
export type RecoveryCodes = Static<typeof RecoveryCodesSchema>
