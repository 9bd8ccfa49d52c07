import Type, { type Static } from 'typebox'
import { PAGE_NUMBER_MAX, PER_PAGE_MAX } from '../limits.ts'

/** The query of every paged list. Pages start at 1. A page beyond the end is empty, and still counts all entries. */
export const ListQuerySchema = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_NUMBER_MAX })),
  perPage: Type.Optional(Type.Integer({ minimum: 1, maximum: PER_PAGE_MAX })),
})
export type ListQuery = Static<typeof ListQuerySchema>

/** The answer to a call whose only result is a message to show. */
export const DoneSchema = Type.Object({ message: Type.String() })
export type Done = Static<typeof DoneSchema>
