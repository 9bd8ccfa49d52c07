/** The smallest PNG. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** A post's form that has nothing wrong in it. */
export function blogForm(slug: string, fields: Record<string, string> = {}) {
  return {
    fields: { slug, title: 'A title', summary: 'A summary', content: '<p>Text</p>', ...fields },
    file: { name: 'picture.png', type: 'image/png', bytes: PNG },
  }
}

/** A form as a browser sends it, for `inject`. */
export async function multipart(
  fields: Record<string, string>,
  file: { name: string; type: string; bytes: Uint8Array<ArrayBuffer> } | null = null,
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file) form.append('file', new Blob([file.bytes], { type: file.type }), file.name)
  const request = new Request('http://localhost', { method: 'POST', body: form })
  return {
    payload: Buffer.from(await request.arrayBuffer()),
    headers: { 'content-type': request.headers.get('content-type') ?? '' },
  }
}
