/**
 * Loaded into a measured server before its own code (`--import`): answers its parent's questions about time on
 * the processor and memory, which no other process can know as exactly.
 */
import { existsSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Usage {
  /** Time on the processor since the start, of all threads, microseconds. */
  cpu: number
  /** Bytes: live objects and buffers of JavaScript, and what the system has given to the process. */
  live: number
  resident: number
  /** The longest time since the last question in which the event loop was blocked, milliseconds. */
  blocked: number
  /** Bytes written since the start, to files and sockets. 0 where the system does not count them. */
  written: number
}

const COUNTERS = '/proc/self/io'
const writtenBytes = () =>
  existsSync(COUNTERS) ? Number(/^wchar: (\d+)$/m.exec(readFileSync(COUNTERS, 'utf8'))?.[1]) : 0

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

process.on('message', (question) => {
  if (question !== 'usage' && question !== 'usage after gc') return
  if (question === 'usage after gc') {
    collectGarbage()
    collectGarbage()
  }
  const { user, system } = process.cpuUsage()
  const { heapUsed, external, rss } = process.memoryUsage()
  const usage: Usage = {
    cpu: user + system,
    live: heapUsed + external,
    resident: rss,
    blocked: delay.max / 1e6,
    written: writtenBytes(),
  }
  delay.reset()
  process.send?.(usage)
})
// The channel must not keep the server alive after SIGTERM.
process.channel?.unref()
