import type { Faq, Question } from '@proctorpass/shared/schemas/faq'
import { textPaths } from '@proctorpass/shared/text-paths'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { moved, type Target } from './moved.ts'
import { FAQ } from './texts.ts'

/** Holds the order of the questions, and stores each change at once. */
export function useOrder(faq: Faq, lang: string) {
  const queryClient = useQueryClient()
  const [items, setItems] = useState<readonly Question[]>(faq.items)
  const [announcement, setAnnouncement] = useState('')
  const latest = useRef(items)
  /** The order that the server has, or that is on its way to it. */
  const sent = useRef(items)
  const version = useRef(faq.version)
  const isSaving = useRef(false)

  function show(next: readonly Question[]): void {
    latest.current = next
    setItems(next)
  }
  function adopt(read: Faq): void {
    version.current = read.version
    sent.current = read.items
    show(read.items)
  }
  // The list was read again. While an order is on its way, the list may be older.
  const adoptRead = useEffectEvent(() => {
    if (!isSaving.current) adopt(faq)
  })
  useEffect(() => adoptRead(), [faq])

  async function save(): Promise<void> {
    if (isSaving.current) return
    isSaving.current = true
    try {
      while (!isSameOrder(latest.current, sent.current)) {
        sent.current = latest.current
        const order = sent.current.map(({ _id, group }) => ({ _id, group }))
        const body = { items: order, version: version.current }
        version.current = (await callAsAdmin<Faq>(textPaths.faqOrder, { method: 'PUT', body })).version
      }
      void queryClient.invalidateQueries({ queryKey: FAQ })
    } catch (error) {
      toast.error(errorMessage(error))
      await queryClient.invalidateQueries({ queryKey: FAQ }).catch(() => {})
      adopt(queryClient.getQueryData<Faq>([...FAQ, lang]) ?? faq)
    } finally {
      isSaving.current = false
    }
  }

  /** Shows a question in another place, which is not stored yet. */
  function drag(id: string, target: Target): void {
    const next = moved(latest.current, faq.groups, id, target)
    if (next !== null) show(next)
  }
  /** Stores the question's place. */
  function drop(id: string): void {
    if (isSameOrder(latest.current, sent.current)) return
    setAnnouncement(placeOf(latest.current, faq.groups, id))
    void save()
  }

  return {
    items,
    announcement,
    drag,
    drop,
    move(id: string, target: Target): void {
      drag(id, target)
      drop(id)
    },
  }
}

function isSameOrder(order: readonly Question[], other: readonly Question[]): boolean {
  return order.length === other.length && order.every((item, index) => isSame(item, other[index]))
}

function isSame(item: Question, other: Question | undefined): boolean {
  return item._id === other?._id && item.group === other.group
}

function placeOf(items: readonly Question[], groups: Faq['groups'], id: string): string {
  const item = items.find(({ _id }) => _id === id)
  if (!item) return ''
  const inGroup = items.filter(({ group }) => group === item.group)
  const title = groups.find((group) => group.id === item.group)?.title ?? ''
  const place = inGroup.findIndex(({ _id }) => _id === id) + 1
  return `“${item.question}” is now ${place} of ${inGroup.length} in ${title}`
}
