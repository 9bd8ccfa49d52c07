import { mayHaveMarks } from '@proctorpass/shared/format-marks'
import { useLoaded } from './use-loaded.ts'

type Formatting = typeof import('./formatted-text.tsx')

let loaded: Formatting | null = null

/** Loads what shows marks. A page that calls this early shows no text with its marks first. */
export async function loadFormatting(): Promise<Formatting> {
  loaded = await import('./formatted-text.tsx')
  return loaded
}

/** Returns what shows this text without its marks; null if it has none, and until the code is loaded. */
export function useFormatting(text: string): Formatting | null {
  const wanted = mayHaveMarks(text)
  useLoaded(loadFormatting, wanted)
  return wanted ? loaded : null
}
