import { parseArgs } from 'node:util'
import { readStoreLocation } from '../src/env/env.ts'
import { commandLine } from '../src/installation.ts'
import { ChainCheck, keyOfNumber, numberOf } from '../src/storage/model/audit.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import { problemOf } from './copying.ts'

const USAGE = `Usage: ${commandLine('audit', 'verify [N HASH]')}
  Checks that each entry of the audit log follows from the one before, and prints the number and the hash of the last one.
  N HASH   also checks that entry N has this hash, which you saved earlier: only so are missing entries at the end noticed
The server may be running. DATA_DIR or MONGODB_URL selects the store. The exit code is 1 for a broken log.`

const PAGE = 1_000

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) console.log(USAGE)
  else if (!(await verify(positionals))) process.exitCode = 1
} catch (error) {
  console.error(await problemOf(error))
  process.exitCode = 1
}

async function verify([command, number, hash, ...rest]: string[]): Promise<boolean> {
  const isKept = number !== undefined && hash !== undefined
  if (command !== 'verify' || rest.length > 0 || (number !== undefined && !isKept)) throw new Error(USAGE)
  if (isKept && !(/^[1-9][0-9]{0,15}$/.test(number) && /^[0-9a-f]{64}$/i.test(hash))) throw new Error(USAGE)
  const storage = await openStorage(readStoreLocation())
  try {
    const check = new ChainCheck()
    for (let after: string | null = null; ; ) {
      const entries = await storage.audit.page(after, PAGE)
      for (const entry of entries) check.add(entry)
      const last = entries.at(-1)
      if (last === undefined) break
      after = last._id
    }
    const { count, brokenAt, head } = check.result()
    const entries = `${count.toLocaleString('en-US')} ${count === 1 ? 'entry' : 'entries'}`
    if (brokenAt !== null) {
      console.log(`${entries}, broken at entry ${brokenAt}: it does not follow from the entry before it.`)
      return false
    }
    console.log(`${entries}, unbroken`)
    if (head !== null) console.log(`The last one: ${numberOf(head)} ${head.hash}`)
    if (!isKept) return true
    const key = keyOfNumber(Number(number))
    const found = (await storage.audit.list({ before: keyOfNumber(Number(number) + 1), limit: 1 }))[0]
    if (found?._id === key && found.hash === hash.toLowerCase()) return true
    console.log(
      found?._id === key ? `Entry ${number} has another hash: ${found.hash}` : `Entry ${number} is missing.`,
    )
    return false
  } finally {
    await storage.close()
  }
}
