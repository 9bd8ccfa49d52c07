/** Makes missing fields empty, so that the use case answers with the form's message instead of the schema's. */
export function fillMissing(request: { body: unknown }, empty: Record<string, unknown>): void {
  const sent = request.body
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return
  request.body = Object.assign(empty, sent)
}
