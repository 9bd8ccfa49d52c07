import Type, { type Static } from 'typebox'
import { PAGE_NUMBER_MAX, PER_PAGE_MAX } from '../limits.ts'

/** Query of every paged list. Pages count from 1; one beyond the end is empty and carries the true count. */
export const ListQuerySchema = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_NUMBER_MAX })),
  perPage: Type.Optional(Type.Integer({ minimum: 1, maximum: PER_PAGE_MAX })),
})
export type ListQuery = Static<typeof ListQuerySchema>

/** Answer of a call whose result is a text fit to show. */
export const DoneSchema = Type.Object({ message: Type.String() })
export type Done = Static<typeof DoneSchema>
