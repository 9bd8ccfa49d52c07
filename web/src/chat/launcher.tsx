/** The chat's button in the corner of every public page. */
export function Launcher() {
  return null
}
