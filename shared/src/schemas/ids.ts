import Type from 'typebox'
import { CARD_ID_PATTERN, CLIENT_ID_PATTERN, NONCE_PATTERN } from '../limits.ts'

export const ClientIdSchema = Type.String({ pattern: CLIENT_ID_PATTERN })
export const CardIdSchema = Type.String({ pattern: CARD_ID_PATTERN })
export const NonceSchema = Type.String({ pattern: NONCE_PATTERN })

/** The parameters of routes below `/:clientId`. */
export const ClientIdParamSchema = Type.Object({ clientId: ClientIdSchema })
