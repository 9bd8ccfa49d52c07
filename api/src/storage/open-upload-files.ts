import { join } from 'node:path'
import type { UploadFiles } from './upload-files.ts'

/** The uploads in DATA_DIR. */
export async function openUploadFiles({ dataDir }: { dataDir: string }): Promise<UploadFiles> {
  const { openFolder } = await import('./files/open-folder.ts')
  return openFolder(join(dataDir, 'uploads'))
}
