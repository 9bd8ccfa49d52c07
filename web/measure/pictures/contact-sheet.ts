import { readdirSync, writeFileSync } from 'node:fs'

const STYLES = `
  body { margin: 24px; font: 14px/1.4 system-ui, sans-serif; background: #ddd; color: #111 }
  h2 { font-size: 16px; margin: 32px 0 8px }
  .row { display: grid; grid-template-columns: 3fr 3fr 1fr 1fr; gap: 12px; align-items: start }
  img { display: block; width: 100%; max-height: 60vh; object-fit: cover; object-position: top; border: 1px solid #999 }
  figure { margin: 0 } figcaption { color: #555 }
  .problem { color: #a00 }`

/** Writes `index.html`: a row for each picture of the folder, in the given order. */
export function writeContactSheet(
  folder: URL,
  names: readonly string[],
  problems: ReadonlyMap<string, string>,
): void {
  const files = readdirSync(folder).filter((file) => file.endsWith('.png'))
  const rows = names.flatMap((name) => {
    const figures = variantsOf(name)
      .filter((file) => files.includes(file))
      .map(
        (file) => `<figure><a href="${file}"><img loading="lazy" src="${file}" alt=""></a>
          <figcaption>${file}</figcaption></figure>`,
      )
    const problem = problems.get(name)
    const note = problem === undefined ? '' : `<pre class="problem">${escaped(problem)}</pre>`
    return figures.length === 0
      ? []
      : [`<h2 id="${name}">${name}</h2>${note}<div class="row">${figures.join('')}</div>`]
  })
  writeFileSync(
    new URL('index.html', folder),
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pictures</title><style>${STYLES}</style>
    <h1>${files.length} pictures</h1>${rows.join('\n')}\n`,
  )
}

/** The file names of a picture, in the order of the sheet's columns. */
function variantsOf(name: string): string[] {
  return ['desktop', 'phone'].flatMap((device) =>
    ['light', 'dark'].map((scheme) => `${name}-${device}-${scheme}.png`),
  )
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
