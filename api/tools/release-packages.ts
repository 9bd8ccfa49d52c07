import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execute, root } from './steps.ts'

/** An entry of `packages` in the lock file. */
export interface LockedPackage {
  version: string
  integrity: string
  /** Only `devDependencies` need it. */
  dev?: true
  license?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

/** Where the release runs: Linux with glibc. */
export type Cpu = 'x64' | 'arm64'

const packed = join(root, 'node_modules/.cache/release')

export function lockedPackages(): Record<string, LockedPackage> {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
}

/**
 * The paths of `names` and of what they depend on, such as `node_modules/sharp`, sorted. Without packages for other
 * machines, and without types, which no program loads.
 */
export function closure(
  locked: Record<string, LockedPackage>,
  workspace: string,
  names: string[],
  cpus: Cpu[],
): string[] {
  const found = new Set<string>()
  const visit = (from: string, name: string): void => {
    const path = resolved(locked, from, name)
    if (path === null || found.has(path) || name.startsWith('@types/')) return
    const entry = locked[path] as LockedPackage
    if (!runsOn(entry, cpus)) return
    found.add(path)
    const { dependencies, optionalDependencies, peerDependencies } = entry
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      visit(path, next)
  }
  for (const name of names) visit(workspace, name)
  return [...found].sort()
}

/** As Node looks for packages. Null: an optional package that is not installed anywhere. */
function resolved(locked: Record<string, LockedPackage>, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.replace(/(^|\/)(node_modules\/)?(@[^/]+\/)?[^/]+$/, '')) {
    const path = join(folder, 'node_modules', name)
    if (locked[path] !== undefined) return path
    if (folder === '') return null
  }
}

function runsOn({ os, cpu, libc }: LockedPackage, cpus: Cpu[]): boolean {
  return (
    (os ?? ['linux']).includes('linux') &&
    (cpu ?? cpus).some((one) => (cpus as string[]).includes(one)) &&
    (libc ?? ['glibc']).includes('glibc')
  )
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/**
 * The folder of an installed package. One for another processor is fetched by npm, unpacked beside the caches, and
 * compared with the lock file.
 */
export async function folderOf(path: string, { version, integrity }: LockedPackage): Promise<string> {
  const installed = join(root, path)
  if (existsSync(installed)) return installed
  const name = nameOf(path)
  const folder = join(packed, `${name.replaceAll('/', '-')}-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(packed, { recursive: true })
  const fetched = await execute(
    ['npm', 'pack', `${name}@${version}`, '--silent', '--pack-destination', packed],
    'pipe',
  )
  const file = join(packed, basename(fetched.output))
  if (fetched.code !== 0) throw new Error(`npm can't fetch ${name}: ${fetched.output}`)
  const [algorithm = '', hash] = integrity.split(/-(.*)/)
  if (createHash(algorithm).update(readFileSync(file)).digest('base64') !== hash)
    throw new Error(`${name}@${version} is not what the lock file names.`)
  mkdirSync(`${folder}.part`, { recursive: true })
  const unpacked = await execute(
    ['tar', '-xzf', file, '-C', `${folder}.part`, '--strip-components=1'],
    'pipe',
  )
  if (unpacked.code !== 0) throw new Error(unpacked.output)
  cpSync(`${folder}.part`, folder, { recursive: true })
  rmSync(`${folder}.part`, { recursive: true })
  rmSync(file)
  return folder
}

/** Of a package, but not read by any program. */
const LEFT_OUT =
  /\.(map|ts|mts|cts|md|markdown|flow|tsbuildinfo)$|(^|\/)(\.github|\.vscode|test|tests|__tests__|docs|examples|benchmarks?|coverage|\.[a-z]+rc(\.[a-z]+)?)(\/|$)|(^|\/)tests?\.js$|\.(test|spec)\.[cm]?js$/i
/** Variants for other programs than Node, and sources of native code. */
const NOT_FOR_NODE =
  /(^|[/-])(browser|react-native)(\/|\.js$)|(^|\/)umd\/|\.rn\.cjs$|\.bundle\.js$|\.(cc|h)$|static\/swagger-ui\.js$|^encoding(\.min)?\.js$|(^|\/)(tsconfig.*\.json|\.gitattributes|[^/]+\.yml)$/
/** The second copy of packages that only `import`, or only `require`, loads. */
const SECOND_COPY =
  /\/((imapflow|nodemailer)\/dist\/cjs|(lru-cache|glob|minimatch|path-scurry|minipass|brace-expansion|balanced-match|nonrecursive-glob-match)\/dist\/esm)(\/|$)|\/bson\/lib\/bson(\.node)?\.mjs$|\/sharp\/dist\/\w+\.cjs$/
const LICENSE = /^(licen[cs]e|copying|notice|third-party-notices)/i

export function copyPackage(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (source) => {
      const inside = source.slice(from.length + 1)
      if (inside === 'node_modules') return false
      if (LICENSE.test(inside)) return true
      return ![LEFT_OUT, NOT_FOR_NODE].some((files) => files.test(inside)) && !SECOND_COPY.test(source)
    },
  })
}

/** Standard forms without a copyright notice. */
type Form = 'MIT' | 'ISC'

/** The copyright notices of packages without a license file, as their repositories have them; for every processor. */
const NOTICES: Record<string, [Form, string][]> = {
  '@node-rs/argon2': [['MIT', 'Copyright (c) 2020-present LongYinan']],
  '@redis/client': [['MIT', 'Copyright (c) 2022-2025, Redis, inc.']],
  'abstract-logging': [['MIT', 'Copyright (c) James Sumners <james.sumners@gmail.com>']],
  saxes: [
    ['ISC', 'Copyright (c) Contributors'],
    ['ISC', 'Of sax, which it began as: Copyright (c) Isaac Z. Schlueter and Contributors'],
    ['MIT', 'Of String.fromCodePoint: Copyright Mathias Bynens <https://mathiasbynens.be/>'],
  ],
}

/** Libraries under the LGPL, whose package names the licenses of all that it contains in README.md alone. */
const LIBVIPS = /^@img\/sharp-libvips-/

/**
 * The license texts of a package.
 * @throws when it has none, or an empty one: a release must not be made without it
 */
export function licenseTexts(name: string, folder: string): string[] {
  const texts = LIBVIPS.test(name)
    ? [textOf(join(folder, 'README.md')), formOf('LGPL-3.0'), formOf('GPL-3.0')]
    : readdirSync(folder, { withFileTypes: true })
        .filter((file) => file.isFile() && LICENSE.test(file.name))
        .map((file) => textOf(join(folder, file.name)))
  const found =
    texts.length > 0
      ? texts
      : (NOTICES[name.replace(/-linux-.*/, '')] ?? []).map(([form, notice]) => `${notice}\n\n${formOf(form)}`)
  if (found.length === 0 || found.includes(''))
    throw new Error(
      `${name} has no license text: add the notice of its repository to NOTICES in api/tools/release-packages.ts.`,
    )
  return found
}

function formOf(form: Form | 'LGPL-3.0' | 'GPL-3.0'): string {
  return textOf(join(root, `deploy/release/licenses/${form}.txt`))
}

function textOf(file: string): string {
  return readFileSync(file, 'utf8').trim()
}
