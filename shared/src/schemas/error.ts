import Type, { type Static } from 'typebox'

/** The `WireError` for OpenAPI and serializers. */
export const ErrorSchema = Type.Object(
  {
    message: Type.String(),
    code: Type.String(),
    details: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
    retryable: Type.Optional(Type.Boolean()),
    retryAfterMs: Type.Optional(Type.Integer()),
    requestId: Type.Optional(Type.String()),
  },
  { $id: 'Error' },
)
export type ErrorBody = Static<typeof ErrorSchema>
