const PATHS = {
  messages: 'M3 4.5h14v9H8.5L5 16.5v-3H3z',
  menu: 'M3 5h14M3 10h14M3 15h14',
  close: 'M5 5l10 10M15 5L5 15',
  narrower: 'M12 5l-5 5 5 5',
  wider: 'M8 5l5 5-5 5',
  sound: 'M3 8v4h3l4 3.5v-11L6 8zM13 7.5a3.5 3.5 0 0 1 0 5M15 5a7 7 0 0 1 0 10',
  muted: 'M3 8v4h3l4 3.5v-11L6 8zM13 8l4 4M17 8l-4 4',
  leave: 'M8 4H4v12h4M8.5 10H17M14 6.5l3.5 3.5-3.5 3.5',
} as const

export type IconName = keyof typeof PATHS

/** Decoration: what it stands on says the words. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="dashboard-icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
