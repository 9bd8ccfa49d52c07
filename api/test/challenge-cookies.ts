/** The cookies that bind the challenges of an answer to its browser. */
export function challengeCookies({
  cookies,
}: {
  cookies: { name: string; value: string }[]
}): Record<string, string> {
  const bound = cookies.filter(({ name }) => name.startsWith('challenge-'))
  return Object.fromEntries(bound.map(({ name, value }) => [name, value]))
}

/** The cookies that another browser could have made up for these challenges. */
export function ofAnotherBrowser(cookies: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(cookies).map((name) => [name, 'x'.repeat(43)]))
}
