import type { Question, QuestionGroup } from '@proctorpass/shared/schemas/faq'

/** Where a question goes: over its neighbor, before or after another question, or to the end of a group. */
export type Target = 'up' | 'down' | { before: string } | { after: string } | { group: string }

/**
 * Moves a question, also from one group into the next one. Returns null if the order stays the same. The items are in
 * the order of their groups.
 */
export function moved(
  items: readonly Question[],
  groups: readonly QuestionGroup[],
  id: string,
  target: Target,
): readonly Question[] | null {
  const lists = groups.map(({ id: group }) => items.filter((item) => item.group === group))
  const from = lists.findIndex((list) => list.some(({ _id }) => _id === id))
  const list = lists[from]
  const item = list?.find(({ _id }) => _id === id)
  if (!list || !item) return null
  const at = list.indexOf(item)
  const place = placeOf(lists, groups, { from, at, id }, target)
  if (place === null) return null
  const without = lists.map((each) => each.filter((other) => other !== item))
  const group = groups[place.list]?.id ?? item.group
  const next = without.flatMap((each, index) =>
    index === place.list ? each.toSpliced(place.at, 0, { ...item, group }) : each,
  )
  const isSame = next.every(
    (each, index) => each._id === items[index]?._id && each.group === items[index]?.group,
  )
  return isSame ? null : next
}

interface Place {
  list: number
  at: number
}

/** Returns the list and the place in it, counted without the question itself. */
function placeOf(
  lists: readonly (readonly Question[])[],
  groups: readonly QuestionGroup[],
  { from, at, id }: { from: number; at: number; id: string },
  target: Target,
): Place | null {
  if (target === 'up') {
    if (at > 0) return { list: from, at: at - 1 }
    return from > 0 ? { list: from - 1, at: lists[from - 1]?.length ?? 0 } : null
  }
  if (target === 'down') {
    if (at < (lists[from]?.length ?? 0) - 1) return { list: from, at: at + 1 }
    return from < lists.length - 1 ? { list: from + 1, at: 0 } : null
  }
  if ('group' in target) {
    const list = groups.findIndex((group) => group.id === target.group)
    return list < 0 ? null : { list, at: lists[list]?.filter(({ _id }) => _id !== id).length ?? 0 }
  }
  const other = 'before' in target ? target.before : target.after
  for (const [list, each] of lists.entries()) {
    const index = each.filter(({ _id }) => _id !== id).findIndex(({ _id }) => _id === other)
    if (index >= 0) return { list, at: index + ('after' in target ? 1 : 0) }
  }
  return null
}
