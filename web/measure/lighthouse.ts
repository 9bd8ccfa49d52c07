import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

// Not a dependency: it is larger than the product.
const LIGHTHOUSE = 'lighthouse@13.5.0'
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo']

/** In the order of the categories; 0 to 100. */
export type Scores = number[]

/** With Lighthouse's default, a phone. */
export async function lighthouseScores(executablePath: string, url: string): Promise<Scores> {
  const { stdout } = await promisify(execFile)(
    'npx',
    [
      '--yes',
      LIGHTHOUSE,
      url,
      '--output=json',
      '--quiet',
      `--only-categories=${CATEGORIES.join()}`,
      '--chrome-flags=--headless=new --no-sandbox',
    ],
    { env: { ...process.env, CHROME_PATH: executablePath }, maxBuffer: 64 * 1024 * 1024 },
  )
  const { categories } = JSON.parse(stdout) as { categories: Record<string, { score: number }> }
  return CATEGORIES.map((category) => Math.round((categories[category]?.score ?? 0) * 100))
}
