import { createLanguageFolder } from '../src/languages/language-folder.ts'
import { SHIPPED_TAGS } from '../src/languages/shipped.ts'
import { counted } from './copying.ts'

/** Checks this node's own language files. Uploads were checked when they were stored, and the server logs the rest. */
export async function checkLanguages(dataDir: string): Promise<['ok' | 'WRONG', string][]> {
  const { texts, problems } = await createLanguageFolder(dataDir)()
  if (problems.length > 0) return problems.map(({ message }) => ['WRONG', message])
  const own = texts.size === 0 ? '' : `, and ${counted(texts.size, 'files')} in DATA_DIR/languages`
  return [['ok', `${counted(SHIPPED_TAGS.length, 'languages')} in the release${own}`]]
}
