/** REST paths under API_PREFIX for events, endpoints, and API keys. */
export const integrationPaths = {
  events: '/events',
  keys: '/keys',
  key: (id: string) => `/keys/${encodeURIComponent(id)}`,
  endpoints: '/endpoints',
  endpoint: (id: string) => `/endpoints/${encodeURIComponent(id)}`,
  endpointSecret: (id: string) => `/endpoints/${encodeURIComponent(id)}/secret`,
  endpointTest: (id: string) => `/endpoints/${encodeURIComponent(id)}/test`,
  endpointReplay: (id: string) => `/endpoints/${encodeURIComponent(id)}/replay`,
  endpointDeliveries: (id: string) => `/endpoints/${encodeURIComponent(id)}/deliveries`,
} as const
