/** A port with some methods replaced; the others stay those of `port`. */
export function extended<T extends object>(port: T, methods: Partial<T>): T {
  return Object.assign(Object.create(port), methods)
}
