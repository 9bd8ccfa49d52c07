/**
 * Loaded before a server's own code (`--import`): its clock is ahead by CLOCK_AHEAD_MS (behind, if negative), and then
 * by the number that its parent sent last.
 */
let ahead = Number(process.env.CLOCK_AHEAD_MS)
process.on('message', (ms: number) => {
  ahead = ms
})
// It must not keep a process that ends.
process.channel?.unref()

const { now } = Date
const movedNow = () => now() + ahead

globalThis.Date = new Proxy(Date, {
  get: (target, key) => (key === 'now' ? movedNow : Reflect.get(target, key)),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [movedNow()] : args, newTarget),
})
