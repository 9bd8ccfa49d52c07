const PATHS = {
  messages: 'M3 4.5h14v9H8.5L5 16.5v-3H3z',
  write: 'M4 16.5l.8-3.6L13.6 4l2.7 2.7-8.7 8.9zM11.8 5.900l2.600 2.600',
  star: 'M10 2.500l2.300 4.900 5.200.700-3.800 3.700.900 5.200-4.600-2.600-4.600 2.600.900-5.200L2.500 8.100l5.200-.700z',
  letter: 'M3 5h14v10.500H3zM3 5.500l7 5.500 7-5.500',
  posts: 'M3 3.500h6v6H3zM11.500 4h5.500M11.500 8h5.500M3 13h14M3 16.500h10',
  reviews: 'M3 4h14M3 8h14M3 12h9M3 16h6M14 15.500l1.500 1.500 2.500-3.500',
  person: 'M10 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17c.500-3.500 3-5 6-5s5.500 1.500 6 5',
  people:
    'M7.500 9.500a2.700 2.700 0 1 0 0-5.400 2.700 2.700 0 0 0 0 5.400zM2 16.500c.400-3.200 2.700-4.600 5.500-4.600s5.100 1.400 5.500 4.600M13 4.300a2.700 2.700 0 0 1 0 5.100M14.800 12.300c1.900.600 3 2 3.200 4.200',
  settings: 'M3 6h6M13 6h4M11 4v4M3 14h3M10 14h7M8 12v4',
  log: 'M5 3h10v14H5zM7.5 7h5M7.5 10h5M7.5 13h3',
  reply: 'M3 4h14v9.500H9l-4 3v-3H3zM6.500 7.500h7M6.500 10.200h4',
  sites: 'M3 4h14v12H3zM3 7.500h14M5.500 5.800h.1M9 13.500l-2-2 2-2M11 9.500l2 2-2 2',
  hook: 'M7 11.500a3 3 0 1 0 3 3h4M8.500 7.500a3 3 0 1 1 4 1.500l-2.500 5M10 5.500L7.500 10',
  menu: 'M3 5h14M3 10h14M3 15h14',
  close: 'M5 5l10 10M15 5L5 15',
  narrower: 'M12 5l-5 5 5 5',
  wider: 'M8 5l5 5-5 5',
  sound: 'M3 8v4h3l4 3.5v-11L6 8zM13 7.5a3.5 3.5 0 0 1 0 5M15 5a7 7 0 0 1 0 10',
  muted: 'M3 8v4h3l4 3.5v-11L6 8zM13 8l4 4M17 8l-4 4',
  bell: 'M5 14h10l-1.200-2V8.500a3.800 3.800 0 0 0-7.600 0V12zM8.500 16.500h3M10 4.700V3',
  commands: 'M4 6.500l3.500 3.500L4 13.500M9.500 14H16',
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
