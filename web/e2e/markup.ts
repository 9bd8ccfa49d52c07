import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { temporaryDir } from '../../api/test/server-process.ts'

const CHECKER = fileURLToPath(import.meta.resolve('vnu-jar/build/dist/vnu.jar'))

/** As JSON; errors and warnings; exits with 0 unless it crashes; does not guess the language of a few words. */
const OPTIONS = [
  '--format',
  'json',
  '--stdout',
  '--asciiquotes',
  '--skip-info-messages',
  '--exit-zero-always',
  '--no-langdetect',
]

interface CheckerMessage {
  url?: string
  message: string
  extract?: string
}

/** Whether Java is on the PATH. If not, `npm test` lists the checks of HTML as left out. */
export async function hasJava(): Promise<boolean> {
  const found = await java('--version').then(
    ({ code }) => code === 0,
    () => false,
  )
  if (!found) {
    const missing = 'Checks of HTML: install Java 17 or newer (on Debian, default-jre-headless)'
    process.stderr.write(`\nLEFT OUT: ${missing}\n\n`)
    const file = process.env.LEFT_OUT_FILE
    if (file) appendFileSync(file, `${missing}\n`)
  }
  return found
}

/** What the Nu Html Checker finds in documents, which are given by name. One Java process checks all of them. */
export async function markupProblems(documents: ReadonlyMap<string, string>): Promise<string[]> {
  const folder = temporaryDir('markup')
  const names = new Map<string, string>()
  for (const [name, html] of documents) {
    const file = join(folder.path, `${names.size}.html`)
    writeFileSync(file, html)
    names.set(`file:${file}`, name)
  }
  const { code, output } = await java('-jar', CHECKER, ...OPTIONS, folder.path)
  folder.remove()
  if (code !== 0) throw new Error(`The Nu Html Checker ended with ${code}.\n${output}`)
  const { messages } = JSON.parse(output) as { messages: CheckerMessage[] }
  return messages.map(
    ({ url = '', message, extract = '' }) => `${names.get(url) ?? url}: ${message} | ${extract.trim()}`,
  )
}

async function java(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn('java', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const [code, output] = await Promise.all([ended, text(child.stdout)])
  return { code, output }
}
