import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The last commit of the release before this one. Change it with each release. */
const COMMIT = '12e90b72c518210c9c37e9011ab435813bb41daf'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, 'node_modules/.cache/release-before', COMMIT)
const execute = promisify(execFile)

/** Starts the server of the release before, or runs a command of it, as `./proctorpass` does. */
const ENTRY = join(FOLDER, 'server.js')

/** Why the tests with the release before cannot run here. Null if they can. */
export function lacksReleaseBefore(): string | null {
  if (process.platform !== 'linux') return 'the release before this one runs only on Linux'
  if (existsSync(ENTRY) || git('cat-file', '-t', COMMIT) === 'commit') return null
  return `this checkout's history ends after the release before this one (${COMMIT.slice(0, 8)}): get it with "git fetch --unshallow"`
}

/**
 * Makes the release file before this one from the history, with the packages of its lock file, which takes a minute or
 * two. Later calls find it. Returns the file that starts its server and its commands.
 */
export async function provideReleaseBefore(): Promise<string> {
  if (existsSync(ENTRY)) return ENTRY
  // On a disk: the packages take half a gigabyte. Node runs no TypeScript below a folder called node_modules.
  const disk = existsSync('/var/tmp') ? '/var/tmp' : tmpdir()
  const sources = mkdtempSync(join(disk, 'proctorpass-before-'))
  try {
    const archive = execFileSync('git', ['archive', COMMIT], { cwd: ROOT, maxBuffer: 1024 ** 3 })
    execFileSync('tar', ['-x', '-C', sources], { input: archive })
    const to = join(sources, 'release')
    await execute('npm', ['run', 'release', '--', '--cpu', process.arch, '--to', to], {
      cwd: sources,
      // Without the build of the outer run.
      env: { ...process.env, NODE_ENV: '', SOURCE_DATE_EPOCH: git('log', '-1', '--format=%ct', COMMIT) },
      maxBuffer: 64 * 1024 ** 2,
    })
    const unpacked = `${FOLDER}.${process.pid}`
    mkdirSync(unpacked, { recursive: true })
    execFileSync('sh', ['-c', 'exec tar -xz --strip-components=1 -C "$0" -f "$1"/*.tar.gz', unpacked, to])
    // Another process may have made it meanwhile.
    if (existsSync(FOLDER)) rmSync(unpacked, { recursive: true })
    else renameSync(unpacked, FOLDER)
  } finally {
    rmSync(sources, { recursive: true, force: true })
  }
  return ENTRY
}

/** Runs a command of the release before on a store. */
export function runBefore(dataDir: string, ...args: string[]): void {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  execFileSync(process.execPath, [ENTRY, ...args], { cwd: dirname(dataDir), env, stdio: 'pipe' })
}

/** Empty if the command fails. */
function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}
