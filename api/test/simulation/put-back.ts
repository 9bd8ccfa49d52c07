import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { KNOWN_FAULTS, type KnownFault } from './known-faults.ts'

const RUN = fileURLToPath(new URL('run.ts', import.meta.url))
const ROOT = new URL('../../../', import.meta.url)
/** How many seeds are tried, because each change of the product leads a seed another way. */
const SEEDS = 10

/** Loads the module that this commit mended without the mend. Call this before anything loads the module. */
export function putBack(commit: string): void {
  const fault = KNOWN_FAULTS.find((each) => each.commit === commit)
  if (fault === undefined) throw new Error(`known-faults.ts has no fault that ${commit} mended.`)
  const { href } = new URL(fault.file, ROOT)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (url !== href) return loaded
      return { ...loaded, source: sourceOf(fault).replace(fault.text, () => fault.faulty) }
    },
  })
}

/** Returns how often the text that has the mend occurs in its file. It must occur once. */
export const occurrences = (fault: KnownFault): number => sourceOf(fault).split(fault.text).length - 1

/** Runs the simulation with the fault, in processes of their own. Resolves to the seed that finds it, or to why none does. */
export async function find(fault: KnownFault): Promise<{ seed: number } | { problem: string }> {
  const count = occurrences(fault)
  if (count !== 1) return { problem: `Its text occurs ${count} times in ${fault.file}.` }
  let said = ''
  // In steps of two, because the parity of a seed decides which store it has.
  for (let seed = fault.seed; seed < fault.seed + 2 * SEEDS; seed += 2) {
    said = await simulate(fault, seed)
    if (said.includes(fault.says)) return { seed }
  }
  return { problem: `No seed said "${fault.says}". The last one said: ${said}` }
}

function simulate({ commit, steps }: KnownFault, seed: number): Promise<string> {
  const how = steps === null ? ['--webhooks'] : ['--json', '--steps', String(steps)]
  const args = ['--disable-warning=ExperimentalWarning', RUN, '--put-back', commit, '--seed', String(seed)]
  return new Promise((resolve) => {
    execFile(process.execPath, [...args, ...how], { maxBuffer: Infinity }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}

function sourceOf({ file }: KnownFault): string {
  return readFileSync(new URL(file, ROOT), 'utf8')
}
