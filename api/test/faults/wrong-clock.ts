/** Loaded before a node's own code (`--import`): its clock is wrong by CLOCK_WRONG_BY_MS. */
const wrongBy = Number(process.env.CLOCK_WRONG_BY_MS)
const { now } = Date
const wrongNow = () => now() + wrongBy

globalThis.Date = new Proxy(Date, {
  get: (target, key) => (key === 'now' ? wrongNow : Reflect.get(target, key)),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [wrongNow()] : args, newTarget),
})
