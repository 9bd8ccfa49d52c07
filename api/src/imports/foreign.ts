import type { LeftOutList } from './left-out.ts'

/** The products whose exports are read, and `csv` for a spreadsheet. */
export const SOURCES = ['chatwoot', 'intercom', 'crisp', 'csv'] as const
export type Source = (typeof SOURCES)[number]

/** The person who wrote something for the business. Both are unknown for a bot or a rule. */
export interface ForeignWriter {
  name: string | null
  email: string | null
}

/** A message or a note as another product tells it. Its values are not judged yet. */
export interface ForeignItem {
  /** The product's ID. Null if it gives none. */
  id: string | null
  place: string
  isNote: boolean
  /** `visitor`, or who wrote it for the business. */
  from: 'visitor' | ForeignWriter
  /** The time in milliseconds since 1970 UTC. NaN if it cannot be read. */
  at: number
  text: string
}

export interface ForeignConversation {
  id: string
  place: string
  status: 'open' | 'resolved'
  /** What is known about the visitor. */
  name: string | null
  email: string | null
  /** The product's ID of the person, by which people are counted. */
  personId: string | null
  items: ForeignItem[]
}

export interface ForeignReply {
  place: string
  shortcut: string
  text: string
}

export type Foreign =
  | { kind: 'conversation'; conversation: ForeignConversation }
  | { kind: 'reply'; reply: ForeignReply }

/** Reads a file as another product's conversations and canned replies, and lists what it cannot read. */
export type ReadForeign = (file: string, leftOut: LeftOutList) => AsyncIterable<Foreign>

export type Json = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectIn(value: unknown, key: string): Json {
  const found = isObject(value) ? value[key] : undefined
  return isObject(found) ? found : {}
}

/** Returns the objects in a list. Everything else in it is left out, because it cannot be read. */
export function listIn(value: unknown, key: string): Json[] {
  const found = isObject(value) ? value[key] : undefined
  return Array.isArray(found) ? found.filter(isObject) : []
}

/** Returns a text, or null if there is none. */
export function textIn(value: unknown, key: string): string | null {
  const found = isObject(value) ? value[key] : undefined
  return typeof found === 'string' && found.trim() !== '' ? found : null
}

/** Returns an ID, which is a text or a number. */
export function idIn(value: unknown, key: string): string | null {
  const found = isObject(value) ? value[key] : undefined
  if (typeof found === 'string' && found !== '' && found.length <= 256) return found
  return typeof found === 'number' && Number.isFinite(found) ? String(found) : null
}

/** Returns a time in milliseconds, from a number in the given unit or an ISO text. NaN if it cannot be read. */
export function timeIn(value: unknown, key: string, unitMs: 1 | 1_000): number {
  const found = isObject(value) ? value[key] : undefined
  if (typeof found === 'number') return Math.round(found * unitMs)
  if (typeof found !== 'string' || found === '') return Number.NaN
  return /^\d+(\.\d+)?$/.test(found) ? Math.round(Number(found) * unitMs) : Date.parse(found)
}

/** The line that stands for a file, whose bytes are not in an export. */
export function fileLine(name: string | null, url: string | null): string {
  return `File: ${name ?? fileNameIn(url) ?? 'without a name'}`
}

function fileNameIn(url: string | null): string | null {
  const last = url?.split(/[?#]/)[0]?.split('/').at(-1) ?? ''
  if (last === '') return null
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** Joins a text and the lines of its files. */
export function withFiles(text: string | null, files: readonly string[]): string {
  return [...(text === null ? [] : [text]), ...files].join('\n')
}
