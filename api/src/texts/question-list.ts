import type { ErrorDetail } from '@proctorpass/shared/errors'
import type { QuestionGroup } from '@proctorpass/shared/schemas/faq'
import type { ShippedFaq } from '@proctorpass/shared/shipped-texts'

/** A question's place: its ID and its group's. */
export interface Placed {
  _id: string
  group: string
}

/** A question that was deleted and can come back. */
export interface DeletedQuestion extends Placed {
  at: number
  /** The question before it. Null if it was the first one. */
  after: string | null
  /** Its place among the questions that admins added. Null if it was not one of them. */
  ownAt: number | null
  /** Whether the list followed releases. */
  followed: boolean
}

/** What the store keeps of the list. */
export interface StoredList {
  /** All questions in the admins' order. Null while the list follows releases. */
  items: Placed[] | null
  /** The questions that admins added, the oldest first. */
  own: Placed[]
  /** The questions that were deleted a short time ago, the oldest first. */
  deleted?: DeletedQuestion[]
}

export const SHIPPED_LIST: StoredList = { items: null, own: [] }

/**
 * Returns the questions in order. `edited` are the shipped questions that admins edited: one that a later release no
 * longer ships stays, in a group that is yet to be found.
 */
export function arranged(
  { items, own }: StoredList,
  shipped: ShippedFaq,
  edited: readonly string[],
): Placed[] {
  const isShipped = (_id: string) => shipped.items.some((item) => item._id === _id)
  const isOwn = (_id: string) => own.some((item) => item._id === _id)
  if (items !== null) {
    return items.filter(({ _id }) => isShipped(_id) || isOwn(_id) || edited.includes(_id))
  }
  const list: Placed[] = shipped.items.map(({ _id, group }) => ({ _id, group }))
  for (const added of own) if (!isShipped(added._id)) insert(list, added)
  for (const _id of edited) if (!isShipped(_id) && !isOwn(_id)) list.push({ _id, group: '' })
  return list
}

/** Puts a question behind the last one of its group. */
function insert(list: Placed[], added: Placed): void {
  const last = list.findLastIndex(({ group }) => group === added.group)
  list.splice(last === -1 ? list.length : last + 1, 0, added)
}

export function withAdded({ items, own, ...rest }: StoredList, added: Placed): StoredList {
  const list = items && [...items]
  if (list !== null) insert(list, added)
  return { ...rest, items: list, own: [...own, added] }
}

/**
 * Leaves a question out at a time. `now` is the list as it is arranged. Without a shipped question, it no longer follows
 * releases.
 */
export function without(
  { items, own, deleted = [] }: StoredList,
  _id: string,
  { now, isShipped, at }: { now: Placed[]; isShipped: boolean; at: number },
): StoredList {
  const others = <Each extends Placed>(list: Each[]) => list.filter((item) => item._id !== _id)
  const index = now.findIndex((item) => item._id === _id)
  const ownAt = own.findIndex((item) => item._id === _id)
  const entry: DeletedQuestion = {
    ...{ _id, group: now[index]?.group ?? '', at, after: now[index - 1]?._id ?? null },
    ...{ ownAt: ownAt < 0 ? null : ownAt, followed: items === null },
  }
  return {
    ...{ items: isShipped ? others(now) : items && others(items), own: others(own) },
    deleted: [...others(deleted), entry],
  }
}

/** Puts a deleted question where it was. The list follows releases again if nothing else differs from them. */
export function withRestored(
  { items, own, deleted = [] }: StoredList,
  { _id, group, after, ownAt, followed }: DeletedQuestion,
  { now, following }: { now: Placed[]; following: (list: StoredList) => Placed[] },
): StoredList {
  const rest = deleted.filter((item) => item._id !== _id)
  const added = ownAt === null ? own : own.toSpliced(ownAt, 0, { _id, group })
  const list = { items: null, own: added, deleted: rest }
  if (items === null) return list
  const before = now.findIndex((item) => item._id === after)
  const restored = [...now]
  if (after === null || before >= 0) restored.splice(before + 1, 0, { _id, group })
  else insert(restored, { _id, group })
  const isAsShipped = followed && isSameOrder(following(list), restored)
  return isAsShipped ? list : { ...list, items: restored }
}

/** Lets the list follow releases, which brings deleted shipped questions back. */
export function asShipped(
  { own, deleted = [] }: StoredList,
  isShipped: (_id: string) => boolean,
): StoredList {
  return { items: null, own, deleted: deleted.filter(({ _id }) => !isShipped(_id)) }
}

export function isSameOrder(items: readonly Placed[], others: readonly Placed[]): boolean {
  return (
    items.length === others.length &&
    items.every(({ _id, group }, index) => others[index]?._id === _id && others[index]?.group === group)
  )
}

/** Added questions take their new groups with them if the list follows releases again. */
export function inOrder({ own, ...rest }: StoredList, items: Placed[]): StoredList {
  const groups = new Map(items.map(({ _id, group }) => [_id, group]))
  return { ...rest, items, own: own.map(({ _id, group }) => ({ _id, group: groups.get(_id) ?? group })) }
}

/** Returns the group in which a question is shown: the last one if its own group is gone. */
export function shownGroup(
  { _id, group }: Placed,
  groups: readonly { id: string }[],
  shipped: ShippedFaq,
): string {
  const wanted = [group, shipped.items.find((item) => item._id === _id)?.group]
  return wanted.find((id) => groups.some((each) => each.id === id)) ?? groups.at(-1)?.id ?? group
}

/**
 * Judges the FAQ's groups: `ids` are those of its questions, and `used` the groups that have questions. A translation may
 * have `only` the English groups.
 */
export function groupProblems(
  groups: readonly QuestionGroup[],
  { ids, used, only }: { ids: string[]; used: string[]; only: readonly QuestionGroup[] | null },
): ErrorDetail[] {
  const details: ErrorDetail[] = []
  const known = groups.map(({ id }) => id)
  for (const [index, id] of known.entries()) {
    const field = `fields/groups/${index}/id`
    if (known.indexOf(id) !== index) details.push({ field, message: 'Each group needs an ID of its own' })
    else if (ids.includes(id)) details.push({ field, message: 'A question has this ID' })
    else if (only !== null && !only.some((group) => group.id === id)) {
      details.push({ field, message: 'The English text has no group with this ID' })
    }
  }
  const left = used.find((group) => !known.includes(group))
  if (left === undefined) return details
  return [...details, { field: 'fields/groups', message: `The group ${left} has questions. Move them first` }]
}

/** Returns an anchor from the question's Latin letters and digits, or null without any. */
export function anchorOf(question: string): string | null {
  const words = question
    .normalize('NFKD')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-|-$/g, '')
  return /[a-z]/.test(words) ? words : null
}
