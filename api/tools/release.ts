// npm run release: writes the release file, its SBOM and their checksums into `release`. The same commit gives the same
// bytes. Needs GNU tar, and git or SOURCE_DATE_EPOCH. --cpu x64 leaves the other processor out, --to FOLDER writes there.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { VERSION } from '../src/installation.ts'
import server from '../vite.config.ts'
import {
  type Cpu,
  closure,
  copyPackage,
  folderOf,
  type LockedPackage,
  licenseTexts,
  lockedPackages,
  nameOf,
} from './release-packages.ts'
import { execute, root } from './steps.ts'

const MB = 1024 ** 2
const UNPACKED_MAX = 63 * MB
const COMPRESSED_MAX = 35 * MB
/** What an operator reads, and files to copy from. */
const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
  '.env.example',
  'docs',
  ...['Caddyfile', 'nginx.conf', 'alerts.yaml', 'systemd'].map((name) => `deploy/${name}`),
  // For containers. The image is made of the release file in the folder `release`.
  ...['compose.yaml', '.env.example', 'Dockerfile', 'mongodb-setup.js'].map((name) => `deploy/${name}`),
]

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: join(root, 'release') },
    cpu: { type: 'string', multiple: true },
  },
})
const to = resolve(values.to)
const CPUS: Cpu[] = ['x64', 'arm64']
const cpus = (values.cpu ?? CPUS) as Cpu[]
const name = `proctorpass-${VERSION}`
const stage = join(to, name)
const locked = lockedPackages()
const at = Number(process.env.SOURCE_DATE_EPOCH || git('log', '-1', '--format=%ct'))

rmSync(to, { recursive: true, force: true })
mkdirSync(stage, { recursive: true })
await stageBundles()
cpSync(join(root, 'shared/languages'), join(stage, 'shared/languages'), { recursive: true })
await stagePackages()
await stageLicenses()
for (const file of DOCUMENTS) cpSync(join(root, file), join(stage, file), { recursive: true })
for (const file of ['proctorpass', 'server.js']) cpSync(join(root, 'deploy/release', file), join(stage, file))
stageFiles()
const unpacked = sizeOf(stage)
const others = sizeOfOtherProcessors()
const archive = await pack()
writeFileSync(join(to, `${name}.cdx.json`), await billOfMaterials())
writeFileSync(join(to, 'SHA256SUMS'), checksums())
rmSync(stage, { recursive: true })
const sizes = `${megabytes(unpacked)} unpacked, ${megabytes(archive.length)} compressed`
console.log(`${join(to, `${name}.tar.gz`)}: ${sizes}, for Linux on ${cpus.join(' and ')}`)
if (unpacked + others > UNPACKED_MAX || archive.length > COMPRESSED_MAX)
  fail(`A release has at most ${megabytes(UNPACKED_MAX)}, ${megabytes(COMPRESSED_MAX)} compressed.`)

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
}

async function stageBundles(): Promise<void> {
  const parts = [join(root, 'api/dist'), join(root, 'web/dist')]
  for (const part of parts) {
    cpSync(part, join(stage, part.slice(root.length)), {
      recursive: true,
      filter: (file) => !/\.map$|\/\.(built|vite)$/.test(file),
    })
  }
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const programs = join(stage, 'api/dist/programs')
  const config = join(root, 'api/vite.programs.config.ts')
  const options = ['--config', config, '--outDir', programs, '--emptyOutDir', '--logLevel=warn']
  const { code, output } = await execute(['node', vite, 'build', join(root, 'api'), ...options], 'pipe')
  if (code !== 0) throw new Error(output)
}

/** What the bundles load by name. */
async function stagePackages(): Promise<void> {
  for (const path of closure(locked, 'api', server.ssr.external, cpus)) {
    copyPackage(await folderOf(path, locked[path] as LockedPackage), join(stage, path))
  }
}

/** Packages in the bundles and beside them. */
function released(): string[] {
  const paths = ['api', 'web', 'shared'].flatMap((workspace) =>
    closure(locked, workspace, Object.keys(locked[workspace]?.dependencies ?? {}), cpus),
  )
  return [...new Set(paths)].filter((path) => !nameOf(path).startsWith('@proctorpass/')).sort()
}

async function stageLicenses(): Promise<void> {
  const parts = ['The packages in this release, with their licenses.']
  /** By text: the titles of the packages that have it. */
  const titles = new Map<string, string>()
  for (const path of released()) {
    const entry = locked[path] as LockedPackage
    const texts = licenseTexts(nameOf(path), await folderOf(path, entry)).map((text) => {
      const same = titles.get(text)
      titles.set(text, same ?? nameOf(path))
      return same === undefined ? text : `The text of ${same} above.`
    })
    const title = `${nameOf(path)} ${entry.version} (${entry.license ?? 'see below'})`
    parts.push(`${'='.repeat(100)}\n${title}\n${'='.repeat(100)}`, ...texts)
  }
  writeFileSync(join(stage, 'THIRD-PARTY-LICENSES.txt'), `${parts.join('\n\n')}\n`)
}

function stageFiles(): void {
  const node = locked['node_modules/node']?.version
  const json = (file: string, value: object) =>
    writeFileSync(join(stage, file), `${JSON.stringify(value, null, 2)}\n`)
  json('package.json', {
    ...{ name: 'proctorpass', version: VERSION, private: true, license: 'MIT', type: 'module' },
    engines: { node: '>=24' },
  })
  json('api/package.json', { private: true, type: 'module' })
  writeFileSync(join(stage, '.node-version'), `${node}\n`)
}

/** Sorted, with one owner and one time. */
async function pack(): Promise<Buffer> {
  for (const path of ['.', ...pathsIn(stage)]) {
    const file = join(stage, path)
    const isProgram = statSync(file).isDirectory() || path === 'proctorpass'
    chmodSync(file, isProgram ? 0o755 : 0o644)
  }
  const archive = join(to, `${name}.tar`)
  const { code, output } = await execute(
    [
      'tar',
      '--create',
      '--file',
      archive,
      '--directory',
      to,
      '--format=gnu',
      '--sort=name',
      `--mtime=@${at}`,
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      name,
    ],
    'pipe',
  )
  if (code !== 0) throw new Error(`GNU tar is needed. ${output}`)
  const compressed = gzipSync(readFileSync(archive), { level: 9 })
  // The operating system, which gzip notes in its header.
  compressed[9] = 255
  writeFileSync(`${archive}.gz`, compressed)
  rmSync(archive)
  return compressed
}

interface Bom {
  serialNumber?: string
  metadata: { timestamp?: string; component: { name: string } }
  components: { 'bom-ref': string; name: string; version: string; purl: string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** CycloneDX, by npm. `--omit=dev` also leaves out packages that tests need too, so the released ones are chosen here. */
async function billOfMaterials(): Promise<string> {
  const { code, output } = await execute(
    ['npm', 'sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'],
    'pipe',
  )
  if (code !== 0) throw new Error(output)
  const bom = JSON.parse(output) as Bom
  delete bom.serialNumber
  bom.metadata.timestamp = new Date(at * 1_000).toISOString()
  bom.metadata.component.name = 'proctorpass'
  const refs = new Set(released().map((path) => `${nameOf(path)}@${locked[path]?.version}`))
  bom.components = bom.components.filter((component) => refs.has(component['bom-ref']))
  const missing = [...refs].filter((ref) => !bom.components.some((component) => component['bom-ref'] === ref))
  if (missing.length > 0) throw new Error(`The SBOM lacks ${missing.join(', ')}.`)
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
  return `${JSON.stringify(bom, null, 2)}\n`
}

function checksums(): string {
  const files = [`${name}.cdx.json`, `${name}.tar.gz`]
  return files
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(to, file)))
          .digest('hex')}  ${file}\n`,
    )
    .join('')
}

/** About the bytes of the processors that were left out, so that a check of one sees that a release of all is too large. */
function sizeOfOtherProcessors(): number {
  const native = Object.keys(locked).filter((path) => locked[path]?.cpu && existsSync(join(stage, path)))
  const here = native.reduce((sum, path) => sum + sizeOf(join(stage, path)), 0)
  return (here / cpus.length) * (CPUS.length - cpus.length)
}

function pathsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
}

function sizeOf(folder: string): number {
  return pathsIn(folder)
    .map((path) => statSync(join(folder, path)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
}

function megabytes(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
