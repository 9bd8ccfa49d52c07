/** One row of a table of rooms in docs/ARCHITECTURE.md. It imports from itself and from the rows above it. */
export interface Room {
  /** Folders and files below `src`. */
  names: string[]
  /** Its folders do not import each other. */
  isSplit?: true
  /** Use cases, and the files that translate HTTP to them: see `ROUTES`. */
  isFeature?: true
  /** The only rooms above that it imports. */
  imports?: string[]
  /** Rooms above that it does not import. */
  except?: string[]
  /** The only rooms that import it. */
  importedBy?: string[]
  /** The folders inside a room, by its name: each imports only from itself and the folders before it. */
  folders?: Record<string, string[]>
  /** The only packages that it imports. It also runs in Node, so it imports neither components nor styles. */
  packages?: string[]
}

const NEXT_TO_CONTENT = ['uploads', 'content', 'search', 'backup']

/** In the order of the tables in docs/ARCHITECTURE.md: a room imports only from rooms above it. */
export const ROOMS: Record<'api' | 'web', Room[]> = {
  api: [
    { names: ['installation.ts'] },
    { names: ['storage/model'] },
    { names: ['storage/copy'] },
    { names: ['storage/sqlite'], importedBy: ['storage', 'startup-error.ts'] },
    { names: ['storage/mongo'], importedBy: ['storage'] },
    { names: ['storage/files'], importedBy: ['storage', 'server.ts'] },
    { names: ['storage'] },
    { names: ['redis'] },
    { names: ['limits'] },
    { names: ['jobs'] },
    { names: ['credentials'] },
    { names: ['outbound'] },
    { names: ['env'] },
    { names: ['http'] },
    { names: ['audit'], isFeature: true },
    { names: ['auth'], isFeature: true },
    { names: ['uploads'], isFeature: true },
    { names: ['content'], isFeature: true },
    { names: ['texts'], isFeature: true },
    { names: ['languages'], isFeature: true, except: ['uploads', 'content'] },
    { names: ['settings'], isFeature: true, except: ['uploads', 'content'] },
    { names: ['sites'], isFeature: true, except: ['uploads', 'content'] },
    { names: ['chat'], isFeature: true },
    { names: ['events'], isFeature: true, except: ['uploads', 'content', 'settings', 'chat'] },
    { names: ['search'], isFeature: true, except: ['uploads', 'content', 'settings', 'chat'] },
    { names: ['reports'], isFeature: true, except: ['uploads', 'content', 'chat', 'events', 'search'] },
    { names: ['backup'], isFeature: true },
    { names: ['hub'] },
    { names: ['mail'], isFeature: true, except: NEXT_TO_CONTENT },
    { names: ['imports'], isFeature: true, except: [...NEXT_TO_CONTENT, 'chat', 'events', 'reports', 'hub'] },
    { names: ['notifications'], isFeature: true, except: NEXT_TO_CONTENT },
    { names: ['metrics'] },
    { names: ['pages'] },
    { names: ['embed'] },
    { names: ['use-cases.ts', 'app.ts', 'sweep-regularly.ts', 'startup-error.ts', 'server.ts'] },
  ],
  web: [
    { names: ['lib'] },
    { names: ['content'] },
    { names: ['metadata'] },
    { names: ['components'] },
    { names: ['chat/engine'], imports: [], packages: ['socket.io-client'] },
    { names: ['chat/language'] },
    { names: ['chat/alerts', 'chat/view'], isSplit: true },
    { names: ['chat/widget'] },
    { names: ['forms'], except: ['chat'] },
    { names: ['dashboard/ui'], except: ['chat'] },
    { names: ['dashboard/versions'], except: ['chat'] },
    {
      names: [
        'dashboard/audit',
        'dashboard/chats',
        'dashboard/contacts',
        'dashboard/integrations',
        'dashboard/notifications',
        'dashboard/posts',
        'dashboard/replies',
        'dashboard/reports',
        'dashboard/reviews',
        'dashboard/search',
        'dashboard/settings',
        'dashboard/sites',
        'dashboard/team',
      ],
      isSplit: true,
      folders: { 'dashboard/chats': ['live', 'changes', 'compose', 'visitor', 'list', 'conversation'] },
    },
    { names: ['dashboard/texts'] },
    { names: ['dashboard/account'] },
    { names: ['dashboard'] },
    { names: ['service-worker'], imports: ['lib'] },
    { names: ['embed'], except: ['metadata', 'forms', 'dashboard', 'service-worker'] },
    { names: ['sign-in'], except: ['forms', 'dashboard', 'embed'] },
    { names: ['pages'] },
    { names: ['routes.tsx', 'page-key.ts', 'entry-client.tsx', 'entry-server.tsx'] },
  ],
}

/** The files of features that translate HTTP to use cases, or register them with the app. */
export const ROUTES =
  /-routes\.ts$|\/plugin\.ts$|^auth\/(authenticate|auth-cookies|describe-route)\.ts$|^content\/list-cache\.ts$/

/** Packages and the only rooms that import them. Routes import Fastify too. */
export const PACKAGE_ROOMS: [name: RegExp, rooms: string[]][] = [
  [
    /^(fastify|fastify-plugin|@fastify\/.*)$/,
    ['redis', 'http', 'hub', 'metrics', 'pages', 'embed', 'app.ts'],
  ],
  [/^(socket\.io|@socket\.io\/.*)$/, ['hub']],
  [/^mongodb$/, ['storage/mongo']],
  [/^@redis\/client$/, ['redis']],
  [/^socket\.io-client$/, ['chat/engine']],
]
