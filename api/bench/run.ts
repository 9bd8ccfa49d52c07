/**
 * `npm run bench`: measures the product against a yardstick, or large against small, in alternating slices of one
 * run, and prints ratios. It does not fail for being slow; the exit code shows only whether it could measure.
 *
 *   npm run bench                      everything, about six minutes
 *   npm run bench -- --quick           under a minute, too short for figures
 *   npm run bench -- --only history    one benchmark (may be given several times)
 *   npm run bench -- --json            for machines
 *   npm run bench -- --only strangers/pictures
 *                                      one scene of a benchmark that has several
 *   npm run bench -- --only strangers --server ../older
 *                                      the server of another checkout, to compare the two
 */
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { acrossNodes, idleNodes } from './across-nodes.ts'
import type { Benchmark } from './benchmark.ts'
import { bigStore } from './big-store.ts'
import { cuts } from './cuts.ts'
import { derived } from './derived.ts'
import { embed } from './embed.ts'
import { events } from './events.ts'
import { history } from './history.ts'
import { idlePoll } from './idle-poll.ts'
import { idleVisitors } from './idle-visitors.ts'
import { imports } from './imports.ts'
import { inbox } from './inbox.ts'
import { latency } from './latency.ts'
import { lists } from './lists.ts'
import { longConversations } from './long-conversations.ts'
import { pages } from './pages.ts'
import { polling } from './polling.ts'
import { type Judged, judge, TABLE_HEAD, tableRow } from './report.ts'
import { reports } from './reports.ts'
import { restart } from './restart.ts'
import { search } from './search.ts'
import { storm } from './storm.ts'
import { strangers } from './strangers.ts'
import { throughput } from './throughput.ts'

const BENCHMARKS: Benchmark[] = [
  throughput,
  latency,
  idleVisitors,
  idlePoll,
  history,
  inbox,
  search,
  reports,
  derived,
  lists,
  pages,
  restart,
  acrossNodes,
  idleNodes,
  embed,
  events,
  imports,
  cuts,
  storm,
  polling,
  longConversations,
  bigStore,
  ...strangers,
]

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    server: { type: 'string' },
  },
})

const isNamed = ({ name }: Benchmark, asked: string) => name === asked || name.startsWith(`${asked}/`)
const unknown = options.only.filter((asked) => !BENCHMARKS.some((benchmark) => isNamed(benchmark, asked)))
if (unknown.length > 0) {
  const names = BENCHMARKS.map((benchmark) => benchmark.name).join(', ')
  console.error(`No benchmark is called ${unknown.join(', ')}. There are: ${names}`)
  process.exit(1)
}
// Ends through the exit handlers, which end the servers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const server = options.server === undefined ? undefined : resolve(options.server)
const chosen = BENCHMARKS.filter((benchmark) =>
  options.only.length === 0 ? !benchmark.onlyByName : options.only.some((asked) => isNamed(benchmark, asked)),
)
const judged: Judged[] = []
const from = performance.now()
if (!options.json) console.log(TABLE_HEAD)
for (const benchmark of chosen) {
  for (const result of await benchmark.run({ quick: options.quick, server })) {
    const row = judge(benchmark.name, result)
    judged.push(row)
    if (!options.json) console.log(tableRow(row))
  }
}
const machine = {
  node: process.version,
  platform: process.platform,
  cores: cpus().length,
  date: new Date().toISOString(),
  seconds: Math.round((performance.now() - from) / 1000),
  quick: options.quick,
}
if (options.json) {
  console.log(JSON.stringify({ machine, results: judged }, null, 2))
} else {
  const { node, platform, cores, date, seconds } = machine
  console.log(`\nNode ${node}, ${platform}, ${cores} cores, ${date}, ${seconds} s.`)
}
