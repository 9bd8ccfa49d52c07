import Type, { type Static } from 'typebox'
import { PAGE_NUMBER_MAX, PER_PAGE_MAX } from '../limits.ts'

/** Query of every paged list. Pages start at 1; a page beyond the end is empty and has the count of all. */
export const ListQuerySchema = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_NUMBER_MAX })),
  perPage: Type.Optional(Type.Integer({ minimum: 1, maximum: PER_PAGE_MAX })),
})
export type ListQuery = Static<typeof ListQuerySchema>

/** The answer of a call whose only result is a message to show. */
export const DoneSchema = Type.Object({ message: Type.String() })
export type Done = Static<typeof DoneSchema>
