/**
 * Fuzzes what strangers send: it changes inputs at random, and keeps each input that reaches new code.
 *
 *   npm run fuzz -- [--target NAME] [--seconds N] [--seed N] [--keep]
 *   npm run fuzz -- --target NAME --replay FILE
 *
 * Without a target it takes all of them, two at once. Today's date is the seed. `--keep` replaces the kept corpus with
 * the smallest one that reaches as much. An input with which the product fails is made as small as possible and
 * written to a file. Exit code 1: there is such an input.
 *
 * @see docs/decisions/0132-fuzzing.md
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { useMemoryForFolders } from '../servers/memory-folder.ts'
import type { Report, Work } from './fuzz-target.ts'
import { minimized } from './loop.ts'
import { todaysSeed } from './todays-seed.ts'

const SECONDS = 60
const AT_ONCE = 2
/** Below what the watchdog allows, so that a growing heap ends with V8's own message. */
const HEAP_MB_MAX = 1_024

/** Each try takes a process, which may run until the watchdog ends it. */
const MINIMIZING_MS = 120_000

const here = import.meta.dirname
const { values: options } = parseArgs({
  options: {
    target: { type: 'string' },
    seconds: { type: 'string', default: String(SECONDS) },
    seed: { type: 'string', default: todaysSeed() },
    replay: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const seed = Number(options.seed)
const seconds = Number(options.seconds)
if (!Number.isSafeInteger(seed) || !(seconds >= 0)) throw new Error('Use numbers.')
const known = readdirSync(join(here, 'targets')).map((file) => basename(file, '.ts'))
const names = options.target === undefined ? known : [options.target]
for (const name of names) if (!known.includes(name)) throw new Error(`The targets are ${known.join(', ')}.`)

useMemoryForFolders()
const folder = mkdtempSync(join(tmpdir(), 'proctorpass-fuzz-'))
const waiting = [...names]
const worker = async () => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await fuzzTarget(name)
}
console.log(`Seed ${seed}.`)
await Promise.all(Array.from({ length: AT_ONCE }, worker))
rmSync(folder, { recursive: true })

async function fuzzTarget(name: string): Promise<void> {
  const work: Work = {
    ...{ name, seed, seconds, replay: options.replay, isKept: options.keep },
    ...{ current: join(folder, name), report: join(folder, `${name}.json`) },
  }
  const { report, output } = await run(work)
  if (report === null) return fail(name, await smallestThatEnds(work), output)
  const { runs, blocks, blocksOfAll, corpus, found } = report
  const rate = Math.round(runs / Math.max(report.seconds, 0.001))
  const told = `${name}: ${runs} runs, ${rate} a second, ${blocks} of ${blocksOfAll} blocks, ${corpus.length} inputs`
  console.log(`${told}.`)
  if (found !== null) {
    const input = Buffer.from(found.input, 'base64')
    return fail(
      name,
      input,
      `${found.message}${found.isRepeatable ? '' : '\nIt needs what earlier inputs left behind.'}`,
    )
  }
  if (options.keep) keep(name, corpus)
}

/** Null without a report: the process ended too early. */
function run(work: Work): Promise<{ report: Report | null; output: string }> {
  const args = [
    ...[`--max-old-space-size=${HEAP_MB_MAX}`, `--import=${join(here, 'coverage.ts')}`],
    ...[join(here, 'fuzz-target.ts'), JSON.stringify(work)],
  ]
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.on('close', (code, signal) => {
      if (code === 0) return resolve({ report: JSON.parse(readFileSync(work.report, 'utf8')), output })
      const lines = output.trimEnd().split('\n').slice(-30)
      resolve({ report: null, output: [...lines, `The process ended (${signal ?? code}).`].join('\n') })
    })
  })
}

/** Returns the smallest input with which the process ends too early, as far as there is time to find it. */
async function smallestThatEnds(work: Work): Promise<Buffer> {
  const replay = join(folder, `${work.name}-smaller`)
  const ends = async (input: Buffer) => {
    writeFileSync(replay, input)
    return (await run({ ...work, replay })).report === null
  }
  const input = readFileSync(work.current)
  return (await ends(input)) ? minimized(input, ends, MINIMIZING_MS) : input
}

function fail(name: string, input: Buffer, message: string): void {
  process.exitCode = 1
  const dir = join(here, 'found')
  const file = join(dir, `${name}-${hashOf(input)}`)
  mkdirSync(dir, { recursive: true })
  writeFileSync(file, input)
  const shown = relative(process.cwd(), file)
  console.log(
    `${name} FAILED: ${message}\nThe input: ${JSON.stringify(input.toString('latin1').slice(0, 1_000))}`,
  )
  console.log(`Repeat it: npm run fuzz -- --target ${name} --replay ${shown}`)
}

/** Replaces the corpus. Files that stay keep their names. */
function keep(name: string, corpus: readonly string[]): void {
  const dir = join(here, 'corpus', name)
  const names = new Map(readdirSync(dir).map((file) => [hashOf(readFileSync(join(dir, file))), file]))
  rmSync(dir, { recursive: true })
  mkdirSync(dir)
  for (const input of corpus.map((each) => Buffer.from(each, 'base64'))) {
    writeFileSync(join(dir, names.get(hashOf(input)) ?? hashOf(input)), input)
  }
  const sizes = readdirSync(dir).map((file) => statSync(join(dir, file)).size)
  console.log(`${name}: kept ${sizes.length} inputs, ${sizes.reduce((sum, size) => sum + size, 0)} bytes.`)
}

function hashOf(input: Buffer): string {
  return createHash('sha256').update(input).digest('hex').slice(0, 12)
}
