import type { Collection, Filter, IndexDirection } from 'mongodb'
import type { Listed, PageOfList } from '../port/records.ts'
import type { MongoConnection } from './connection.ts'

interface ListedDoc {
  _id: string
  id: string
  createdAt: number
}

/**
 * Pages of a collection along its `newest` index, whose entries also give the count. (An estimated count is free, but
 * wrong after a crash.)
 * @param equal the values of the index fields before createdAt
 */
export function newestFirst<Row extends object, Doc extends ListedDoc>(
  collection: Collection<Doc>,
  majority: MongoConnection['majority'],
  { equal, hidden }: { equal: Filter<Doc>; hidden: readonly (keyof Doc & string)[] },
): (page: PageOfList) => Promise<Listed<Row>> {
  const order = { createdAt: -1, id: -1 } as const
  const index: Record<string, IndexDirection> = Object.fromEntries(Object.keys(equal).map((key) => [key, 1]))
  const projection = Object.fromEntries(['id', ...hidden].map((field) => [field, 0]))
  return async ({ page, perPage }) => {
    const [items, count] = await Promise.all([
      collection
        .find<Row>(equal, { ...majority, projection })
        .sort(order)
        .skip((page - 1) * perPage)
        .limit(perPage)
        .toArray(),
      collection.countDocuments(equal, { ...majority, hint: { ...index, ...order } }),
    ])
    return { items, count }
  }
}
