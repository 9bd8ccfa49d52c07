/** Ends the process when one input takes too long or too much memory: no code in its thread could. */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

const LOOK_EVERY_MS = 200
/** Processor time of one input, which is far beyond what any target allows. */
const CPU_MS_MAX = 30_000
/** An input that waits for something that never comes uses no processor. */
const WAIT_MS_MAX = 120_000
/** The product, its parsers, and a corpus take a fifth of this. */
const MEMORY_MB_MAX = 1_536

const runs = workerData as Int32Array
let run = -1
let cpu = process.cpuUsage()
let since = performance.now()

setInterval(() => {
  const now = Atomics.load(runs, 0)
  const { user, system } = process.cpuUsage(cpu)
  const cpuMs = (user + system) / 1_000
  if (process.memoryUsage.rss() > MEMORY_MB_MAX * 1_024 ** 2)
    end(`took more than ${MEMORY_MB_MAX} MB of memory`)
  if (now !== run) {
    run = now
    cpu = process.cpuUsage()
    since = performance.now()
  } else if (run > 0 && cpuMs > CPU_MS_MAX) end(`took more than ${CPU_MS_MAX / 1_000} s of processor time`)
  else if (run > 0 && performance.now() - since > WAIT_MS_MAX)
    end(`did not end within ${WAIT_MS_MAX / 1_000} s`)
}, LOOK_EVERY_MS)

function end(problem: string): void {
  writeSync(2, `The input ${problem}.\n`)
  process.kill(process.pid, 'SIGKILL')
}
