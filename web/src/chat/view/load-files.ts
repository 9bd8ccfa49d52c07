/** Loads what shows, opens, and uploads files. */
export const loadFiles = () => import('./attachments/loaded.ts')
