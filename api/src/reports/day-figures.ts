import { addGroup, figuresOf, type GroupFigures } from '../storage/model/reports/report-figures.ts'
import { QUARTER_MS, type ReportGroup, type ReportPart } from '../storage/model/reports/report-parts.ts'
import type { KeptFigures, ReportDay, ReportPartRow } from '../storage/model/reports/report-tables.ts'

/** The number of quarter-hours in a UTC day. */
export const QUARTERS = 96

/** The sums of a quarter-hour, one for each group, and how many kept figures they include. */
export interface QuarterFigures {
  groups: GroupFigures[]
  kept: number
}

/** The figures by quarter-hour of the day. */
export type DayFigures = Record<number, QuarterFigures>

export function dayOf(quarter: number): string {
  return new Date(quarter * QUARTER_MS).toISOString().slice(0, 10)
}

/** Returns a day's first quarter-hour. */
export function firstQuarterOf(day: string): number {
  return Date.parse(day) / QUARTER_MS
}

export function partOf({ data }: Pick<ReportPartRow, 'data'>): { group: ReportGroup; part: ReportPart } {
  return JSON.parse(data)
}

export function sumOf(parts: readonly ReportPartRow[], kept: readonly KeptFigures[]): QuarterFigures {
  const groups = new Map<string, GroupFigures>()
  for (const row of parts) {
    const { group, part } = partOf(row)
    addGroup(groups, { group, figures: figuresOf(part) })
  }
  for (const { data } of kept) addGroup(groups, JSON.parse(data) as GroupFigures)
  return { groups: [...groups.values()], kept: kept.length }
}

export function dirtyQuarters({ dirty }: Pick<ReportDay, 'dirty'>): number[] {
  return dirty === '' ? [] : dirty.split(' ').map(Number)
}
