import { type Rule, TEXT_RULES } from '@proctorpass/shared/fields/page-texts'
import type { TextKind } from '@proctorpass/shared/text-keys'
import { type ComparedPart, wordsOfHtml } from '../versions/compared-words.ts'
import { labelOf } from './text-names.ts'

/** Returns a text's fields as words, in the order of its form. */
export function partsOfText(kind: TextKind, fields: object): ComparedPart[] {
  const parts: ComparedPart[] = []
  const add = (rule: Rule, value: unknown, path: string): void => {
    if (rule.is === 'parts') {
      for (const [name, each] of Object.entries(rule.parts)) {
        add(each, (value as Record<string, unknown>)?.[name], path === '' ? name : `${path}/${name}`)
      }
    } else if (rule.is === 'list') {
      const entries = Array.isArray(value) ? value : []
      for (const [index, entry] of entries.entries()) add(rule.of, entry, `${path}/${index}`)
    } else {
      const text = rule.is === 'html' ? wordsOfHtml(String(value ?? '')) : shownValue(rule, value)
      parts.push({ label: labelOf(kind, path), text })
    }
  }
  add({ is: 'parts', parts: TEXT_RULES[kind] }, fields, '')
  return parts
}

function shownValue(rule: Rule, value: unknown): string {
  if (rule.is === 'flag') return value ? 'Team' : 'Visitor'
  return typeof value === 'string' ? value : ''
}
