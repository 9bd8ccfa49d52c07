// The release file's entry: checks the machine, and runs the server or one of the commands. Node 20 and newer read it.
import { existsSync, readFileSync } from 'node:fs'

const USAGE = `Usage: ./proctorpass [COMMAND]
  start          serves the product (the default)
  admin          creates, resets, disables and lists admins
  audit          checks that the audit log is unbroken
  backup FILE    writes the whole store into one new file
  restore FILE   restores a backup into an empty store
  doctor         checks settings, disk, clock, store, mail, push, proxy and certificate
  import         adds conversations from Chatwoot, Intercom, Crisp, or a spreadsheet
  migrate        copies everything from SQLite to MongoDB, or the other way round
  reports        "reports rebuild" derives the figures of reports again
  repair-times   sets times in the future, left by a wrong clock, to now
  --version      prints the version
Each command reads the same environment as the server, and .env of the folder in which it is called. README.md
explains the variables.`

const COMMANDS = [
  'admin',
  'audit',
  'backup',
  'doctor',
  'import',
  'migrate',
  'repair-times',
  'reports',
  'restore',
]

const [command = 'start', ...args] = process.argv.slice(2)
const problem = problemWithMachine()
if (problem !== null) fail(problem, 1)
else if (command === '--help' || command === '-h') console.log(USAGE)
else if (command === '--version') console.log(JSON.parse(textOf('package.json')).version)
else if (command === 'start' && args.length === 0) await import('./api/dist/server.js')
else if (COMMANDS.includes(command)) {
  process.argv.splice(2, 1)
  await import(`./api/dist/programs/${command}.js`)
} else fail(USAGE, 2)

/** Null when the bundles and their native packages run here. */
function problemWithMachine() {
  const { node } = process.versions
  if (Number(node.split('.')[0]) < 24)
    return `Node ${textOf('.node-version').trim()} is needed; this is ${node}. See https://nodejs.org/en/download.`
  const { platform, arch } = process
  const isMusl = platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
  if (isMusl || !existsSync(new URL(`node_modules/@img/sharp-${platform}-${arch}`, import.meta.url))) {
    const here = `${platform} ${arch}${isMusl ? ' with musl' : ''}`
    return `This release runs on Linux with glibc, x64 and arm64; this is ${here}. Start from a checkout of the sources here.`
  }
  return null
}

function textOf(name) {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

function fail(message, code) {
  console.error(message)
  process.exitCode = code
}
