import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { lockedPackages } from './release-packages.ts'
import { PACKAGE_ROOMS, ROOMS, ROUTES, type Room } from './rooms.ts'
import { root } from './steps.ts'

const SOURCES = ['api/src/**/*.ts', 'web/src/**/*.{ts,tsx}', 'shared/src/**/*.ts']
/** What builds them. */
const BUILDS = ['{api,web}/vite*.ts', 'web/build/**/*.ts', 'shared/vite/*.ts']
const TESTS = ['**/*.test.{ts,tsx}', '**/testing/**']

const packages = lockedPackages()

interface NamedRoom {
  room: Room
  name: string
}

/** Imports that the list of rooms does not allow, and differences between the list and docs/ARCHITECTURE.md. */
export function wrongImports(): string[] {
  const files = globSync(SOURCES, { cwd: root, exclude: TESTS })
  return [
    ...files.flatMap((file) => wrongImportsIn(file, readFileSync(join(root, file), 'utf8'))),
    ...tableGaps(readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8')),
  ]
}

/** Imports of packages that `npm start` and the operators' commands do not install: see api/tools/prepare.mjs. */
export function developmentImports(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const commands = Object.keys(scripts)
    .filter((name) => scripts[`pre${name}`] !== undefined && !scripts[`pre${name}`].includes('--dev'))
    .flatMap((name) => /\S+\.ts$/.exec(scripts[name]) ?? [])
  const files = new Set([...globSync([...SOURCES, ...BUILDS], { cwd: root, exclude: TESTS }), ...commands])
  const problems: string[] = []
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    problems.push(...developmentImportsIn(file, text))
    for (const imported of importsOf(file, text))
      if (/^\..*\.tsx?$/.test(imported)) files.add(join(dirname(file), imported))
  }
  return problems
}

/** @param file Path in the repository. */
export function developmentImportsIn(file: string, text: string): string[] {
  const { workspace } = placeOf(file)
  return importsOf(file, text).flatMap((imported) => {
    const name = nameOf(imported)
    const locked = packages[`${workspace}/node_modules/${name}`] ?? packages[`node_modules/${name}`]
    return locked?.dev ? [`${file} imports ${imported}, but npm start does not install devDependencies`] : []
  })
}

/** @param file Path in the repository. */
export function wrongImportsIn(file: string, text: string): string[] {
  return importsOf(file, text).flatMap((imported) => {
    const reason = imported.startsWith('.')
      ? wrongFile(file, join(dirname(file), imported))
      : wrongPackage(file, imported)
    return reason ? [`${file} imports ${imported}: ${reason}`] : []
  })
}

export function importsOf(file: string, text: string): string[] {
  const { module } = parseSync(file, text)
  const constants = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const [, constant] = /^['"](.*)['"]$/.exec(text.slice(start, end)) ?? []
    return constant === undefined ? [] : [constant]
  })
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...constants,
  ]
}

function wrongFile(file: string, target: string): string | null {
  const from = placeOf(file)
  const to = placeOf(target)
  if (from.workspace !== to.workspace || !target.startsWith(`${from.workspace}/src/`)) {
    return 'a workspace imports its own sources, and shared by its name'
  }
  if (from.workspace === 'shared') return null
  const rooms = ROOMS[from.workspace]
  const own = roomOf(rooms, from.path)
  const other = roomOf(rooms, to.path)
  if (!own || !other) return `${own ? to.path : from.path} is in no room of api/tools/rooms.ts`
  if (own.room.isFeature && !ROUTES.test(from.path)) {
    if (other.name === 'http' || ROUTES.test(to.path)) return 'use cases know neither http nor routes'
  }
  if (own.room.isFeature && ROUTES.test(from.path) && within(to.path, 'storage')) {
    return 'routes reach the store through use cases'
  }
  if (own.room.packages && !target.endsWith('.ts')) return `${own.name} also runs in Node`
  if (own.name === other.name) return wrongFolder(own, from.path, to.path)
  if (own.room === other.room) return own.room.isSplit ? `${own.name} and ${other.name} are apart` : null
  if (rooms.indexOf(other.room) > rooms.indexOf(own.room)) return `${other.name} is below ${own.name}`
  const { imports, except = [] } = own.room
  if (imports && !imports.includes(other.name)) return `${own.name} imports only ${list(imports)}`
  if (except.some((name) => within(other.name, name))) return `${own.name} does not import ${other.name}`
  const { importedBy } = other.room
  if (importedBy && !importedBy.includes(own.name)) return `only ${list(importedBy)} import ${other.name}`
  return null
}

/** Both paths are in `room`, which may give its folders an order. */
function wrongFolder({ room, name }: NamedRoom, from: string, to: string): string | null {
  const folders = room.folders?.[name] ?? []
  const indexOf = (path: string) => folders.findIndex((folder) => within(path, `${name}/${folder}`))
  return indexOf(to) > indexOf(from) ? `${folders[indexOf(to)]} is below ${folders[indexOf(from)]}` : null
}

function wrongPackage(file: string, imported: string): string | null {
  const { workspace, path } = placeOf(file)
  const name = nameOf(imported)
  if (name === '@proctorpass/web' || name === '@proctorpass/api') return 'web and api share only `shared`'
  if (workspace === 'shared') return imported.startsWith('node:') ? 'shared also runs in browsers' : null
  if (name === '@proctorpass/shared') return null
  const own = roomOf(ROOMS[workspace], path)
  if (!own) return `${path} is in no room of api/tools/rooms.ts`
  const { packages } = own.room
  if (packages && !packages.includes(name)) return `${own.name} imports only ${list(packages)}`
  const [, rooms] = PACKAGE_ROOMS.find(([pattern]) => pattern.test(name)) ?? []
  const isRoute = own.room.isFeature && ROUTES.test(path) && name.includes('fastify')
  if (rooms && !rooms.includes(own.name) && !isRoute) return `only ${list(rooms)} import it`
  return null
}

function nameOf(imported: string): string {
  return /^(@[^/]+\/)?[^/]+/.exec(imported)?.[0] ?? ''
}

/** The workspace of a file, and its path below the workspace's `src`. */
function placeOf(file: string): { workspace: 'api' | 'web' | 'shared'; path: string } {
  const [workspace = '', , ...path] = file.split('/')
  return { workspace: workspace as 'api' | 'web' | 'shared', path: path.join('/') }
}

/** The room with the longest name that a path begins with: `storage/model` before `storage`. */
function roomOf(rooms: Room[], path: string): NamedRoom | undefined {
  return rooms
    .flatMap((room) => room.names.map((name) => ({ room, name })))
    .filter(({ name }) => within(path, name))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function list(names: string[]): string {
  return names.join(', ') || 'shared'
}

/** Differences between the tables of docs/ARCHITECTURE.md and the lists of rooms. */
export function tableGaps(markdown: string): string[] {
  return Object.entries(ROOMS).flatMap(([workspace, rooms]) => {
    const [, section = ''] = markdown.split(`**${workspace}/src**`)
    const [table = ''] = section.trimStart().split('\n\n')
    const rows = table
      .split('\n')
      .slice(2)
      .map((row) => [...(row.split('|')[1] ?? '').matchAll(/`(.+?)`/g)].map(([, name]) => name).join(', '))
    return rooms
      .flatMap(({ names }, index) =>
        rows[index] === names.join(', ')
          ? []
          : [
              `docs/ARCHITECTURE.md, ${workspace}/src, row ${index + 1}: ${rows[index]} instead of ${names.join(', ')}`,
            ],
      )
      .concat(rows.length > rooms.length ? [`docs/ARCHITECTURE.md, ${workspace}/src: too many rows`] : [])
  })
}
