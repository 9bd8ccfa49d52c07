/**
 * The header in which a client names a call, and in which the answer repeats that name. No stranger knows the name, so
 * an answer without it comes from a gateway, a captive portal, or a cache.
 * @see docs/decisions/0103-answers-that-are-ours.md
 */
export const CALL_HEADER = 'proctorpass-call'

/**
 * Stands for every name, in answers that a cache may give to other clients too, and in answers to calls without a name.
 */
export const ANY_CALL = 'any'

export const CALL_NAME_PATTERN = '^[0-9-]{4,64}$'
