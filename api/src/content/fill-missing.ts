/** Makes missing fields empty, so that the use case answers the form's message instead of the schema's. */
export function fillMissing(request: { body: unknown }, empty: Record<string, unknown>): void {
  const given = request.body
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return
  request.body = Object.assign(empty, given)
}
