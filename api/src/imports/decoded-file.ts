import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'

/** A file that cannot be imported. The message tells the operator what to do. */
export class ImportProblem extends Error {}

/**
 * Reads a file as text, piece by piece, in UTF-8 or UTF-16, and without its byte order mark.
 * @throws ImportProblem for another encoding, and when there is no such file
 */
export async function* decodedFile(file: string): AsyncIterable<string> {
  const encoding = await encodingOf(file)
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    for await (const bytes of createReadStream(file, { highWaterMark: 256 * 1_024 })) {
      yield decoder.decode(bytes as Buffer, { stream: true })
    }
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new ImportProblem(`${file} is not text in UTF-8 or UTF-16. Save it again as UTF-8.`)
  }
}

async function encodingOf(file: string): Promise<string> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new ImportProblem(
      error.code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${error.message}`,
    )
  })
  try {
    if ((await handle.stat()).isDirectory()) throw new ImportProblem(`${file} is a folder.`)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    const [first = 0, second = 0] = buffer.subarray(0, bytesRead)
    if ((first === 0xff && second === 0xfe) || (bytesRead > 1 && first !== 0 && second === 0))
      return 'utf-16le'
    if ((first === 0xfe && second === 0xff) || (bytesRead > 1 && first === 0 && second !== 0))
      return 'utf-16be'
    return 'utf-8'
  } finally {
    await handle.close()
  }
}
