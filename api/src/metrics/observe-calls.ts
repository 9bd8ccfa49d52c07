/** Called when a call settles. */
export type CallEnded = (operation: string, seconds: number, failed: boolean) => void

type Methods = Record<string, unknown>

/** Returns a copy of the object whose asynchronous methods are timed. */
export function observeCalls<T extends object>(port: T, name: string, ended: CallEnded): T {
  const observed: Methods = {}
  for (const key of methodNames(port)) {
    const method = (port as Methods)[key]
    observed[key] = typeof method === 'function' ? timed(method.bind(port), `${name}.${key}`, ended) : method
  }
  return observed as T
}

function timed(call: (...args: unknown[]) => unknown, operation: string, ended: CallEnded) {
  return (...args: unknown[]) => {
    const from = performance.now()
    const end = (failed: boolean) => ended(operation, (performance.now() - from) / 1_000, failed)
    const answer = call(...args)
    if (answer instanceof Promise) {
      answer.then(
        () => end(false),
        () => end(true),
      )
    }
    return answer
  }
}

/** Returns the names of own and inherited methods. */
function methodNames(port: object): Set<string> {
  const names = new Set<string>()
  for (let level = port; level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const name of Object.getOwnPropertyNames(level)) if (name !== 'constructor') names.add(name)
  }
  return names
}
