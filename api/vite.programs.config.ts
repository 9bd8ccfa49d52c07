import type { UserConfig } from 'vite'
import server from './vite.config.ts'

/** The operator's commands and the server's own programs, for the release file. Bundled as the server is. */
export default {
  ...server,
  build: {
    ...server.build,
    ssr: true,
    sourcemap: false,
    minify: true,
    rolldownOptions: {
      input: {
        ...Object.fromEntries(
          [
            'admin',
            'audit',
            'backup',
            'doctor',
            'import',
            'migrate',
            'repair-times',
            'reports',
            'restore',
          ].map((name) => [name, `tools/${name}.ts`]),
        ),
        'parse-worker': 'src/mail/inbound/parse-worker.ts',
        'post-worker': 'src/content/post-worker.ts',
        'svg-worker': 'src/uploads/svg-worker.ts',
        'quick-check': 'src/storage/sqlite/quick-check.mjs',
      },
    },
  },
} satisfies UserConfig
