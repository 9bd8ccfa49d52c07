import { useQuery } from '@tanstack/react-query'

/** What visitors read while the business is closed, as the widget's languages say it. */
export interface AwayWords {
  away: string
  back: string
}

/** Returns a language's words, or undefined until they are read. */
export function useAwayWords(tag: string): AwayWords | undefined {
  return useQuery({ queryKey: ['words', tag], queryFn: ({ signal }) => read(tag, signal), staleTime: 60_000 })
    .data
}

async function read(tag: string, signal: AbortSignal): Promise<AwayWords> {
  const response = await fetch(`/words/${tag}.json`, { signal })
  if (!response.ok) throw new Error(response.statusText)
  const words: Record<string, string> = await response.json()
  return { away: words['panel.away'] ?? '', back: words['panel.back'] ?? '' }
}
