import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readStoreLocation } from '../src/env/env.ts'
import { SOURCES, type Source } from '../src/imports/foreign.ts'
import { type ImportCounts, type ImportOptions, runImport } from '../src/imports/import-run.ts'
import { leftOutLines } from '../src/imports/left-out.ts'
import { commandLine } from '../src/installation.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import { counted, runTool, UsageError } from './copying.ts'

const USAGE = `Usage: ${commandLine('import', '--from chatwoot|intercom|crisp|csv FILE [--dry-run | --undo] [--json]')}
  Adds another product's conversations, people, and canned replies to the store in DATA_DIR or at MONGODB_URL. It sends no mail
  and no notification. The server may be running. Run it again to resume an interrupted import: nothing is added twice.
  --dry-run  only says what an import would add
  --undo     removes what an import of this file added, except for what has changed since
  --json     prints the result as JSON`

type Mode = ImportOptions['mode']

const WORDS: Readonly<Record<Mode, string>> = {
  import: 'Imported',
  'dry-run': 'An import would add',
  undo: 'Removed',
}

await runTool(async () => {
  const { source, file, mode, isJson } = argumentsOf()
  const storage = await openStorage(readStoreLocation())
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
  const progress = createProgress()
  try {
    const result = await runImport({
      ...{ storage, source, file, mode, now: Date.now(), onProgress: progress.on, signal: stopped.signal },
    }).finally(progress.end)
    if (isJson) return JSON.stringify(result)
    const { leftOut, ...counts } = result
    const title = mode === 'undo' ? 'Kept' : 'Left out'
    const left = leftOut.length === 0 ? [`${title}: nothing.`] : [`${title}:`, ...leftOutLines(leftOut)]
    return [`${WORDS[mode]} ${listOf(counts)}.`, ...left].join('\n')
  } catch (error) {
    throw stopped.signal.aborted ? new Error('Stopped. Run this again to go on.') : error
  } finally {
    await storage.close()
  }
})

function argumentsOf(): { source: Source; file: string; mode: Mode; isJson: boolean } {
  const { values, positionals } = parsed()
  const [file, ...rest] = positionals
  const source = SOURCES.find((name) => name === values.from)
  const isBoth = values['dry-run'] && values.undo
  if (values.help || source === undefined || !file || rest.length > 0 || isBoth) throw new UsageError(USAGE)
  const mode = values['dry-run'] ? 'dry-run' : values.undo ? 'undo' : 'import'
  return { source, file: resolve(file), mode, isJson: values.json === true }
}

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        from: { type: 'string' },
        'dry-run': { type: 'boolean' },
        undo: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch {
    throw new UsageError(USAGE)
  }
}

function listOf(counts: ImportCounts): string {
  const people = counts.people === 1 ? '1 person' : `${counts.people} people`
  const { conversations, messages, notes, replies } = counts
  return [
    counted(conversations, 'conversations'),
    counted(messages, 'messages'),
    counted(notes, 'notes'),
    people,
    `and ${counted(replies, 'canned replies')}`,
  ].join(', ')
}

/** Shows the progress in one line on a terminal, apart from the result. */
function createProgress() {
  const isShown = process.stderr.isTTY
  let shownAt = 0
  return {
    on(counts: Readonly<ImportCounts>) {
      if (!isShown || Date.now() - shownAt < 1_000) return
      shownAt = Date.now()
      process.stderr.write(`\r\x1b[K${counted(counts.messages, 'messages')} so far`)
    },
    end() {
      if (isShown) process.stderr.write('\r\x1b[K')
    },
  }
}
