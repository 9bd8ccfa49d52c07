const PATHS = {
  messages: 'M3 4.5h14v9H8.5L5 16.5v-3H3z',
  write: 'M4 16.5l.8-3.6L13.6 4l2.7 2.7-8.7 8.9zM11.8 5.9l2.6 2.6',
  star: 'M10 2.5l2.3 4.9 5.2.7-3.8 3.7.9 5.2-4.6-2.6-4.6 2.6.9-5.2L2.5 8.1l5.2-.7z',
  letter: 'M3 5h14v10.5H3zM3 5.5l7 5.5 7-5.5',
  posts: 'M3 3.5h6v6H3zM11.5 4h5.5M11.5 8h5.5M3 13h14M3 16.5h10',
  reviews: 'M3 4h14M3 8h14M3 12h9M3 16h6M14 15.5l1.5 1.5 2.5-3.5',
  person: 'M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17c.5-3.5 3-5 6-5s5.5 1.5 6 5',
  people:
    'M7.5 9.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2 16.5c.4-3.2 2.7-4.6 5.5-4.6s5.1 1.4 5.5 4.6M13 4.3a2.7 2.7 0 0 1 0 5.1M14.8 12.3c1.9.6 3 2 3.2 4.2',
  settings: 'M3 6h6M13 6h4M11 4v4M3 14h3M10 14h7M8 12v4',
  log: 'M5 3h10v14H5zM7.5 7h5M7.5 10h5M7.5 13h3',
  reply: 'M3 4h14v9.5H9l-4 3v-3H3zM6.5 7.5h7M6.5 10.2h4',
  sites: 'M3 4h14v12H3zM3 7.5h14M5.5 5.8h.1M9 13.5l-2-2 2-2M11 9.5l2 2-2 2',
  hook: 'M7 11.5a3 3 0 1 0 3 3h4M8.5 7.5a3 3 0 1 1 4 1.5l-2.5 5M10 5.5L7.5 10',
  chart: 'M4 16V9M10 16V4M16 16v-4',
  menu: 'M3 5h14M3 10h14M3 15h14',
  close: 'M5 5l10 10M15 5L5 15',
  narrower: 'M12 5l-5 5 5 5',
  wider: 'M8 5l5 5-5 5',
  sound: 'M3 8v4h3l4 3.5v-11L6 8zM13 7.5a3.5 3.5 0 0 1 0 5M15 5a7 7 0 0 1 0 10',
  muted: 'M3 8v4h3l4 3.5v-11L6 8zM13 8l4 4M17 8l-4 4',
  bell: 'M5 14h10l-1.2-2V8.5a3.8 3.8 0 0 0-7.6 0V12zM8.5 16.5h3M10 4.7V3',
  commands: 'M4 6.5l3.5 3.5L4 13.5M9.5 14H16',
  leave: 'M8 4H4v12h4M8.5 10H17M14 6.5l3.5 3.5-3.5 3.5',
} as const

export type IconName = keyof typeof PATHS

/** Draws a decorative icon. The words are in the element that holds it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="dashboard-icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
