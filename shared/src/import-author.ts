const AUTHOR = 'import:'

/** The most characters in an imported writer's name. */
export const IMPORT_NAME_MAX = 80

/** Returns the author ID of a writer who is no admin here, only a name in what was imported. */
export function importAuthor(name: string): string {
  return AUTHOR + name
}

/** Returns the writer's name. Null if the author was not imported by name. */
export function importNameOf(author: string): string | null {
  return author.startsWith(AUTHOR) ? author.slice(AUTHOR.length) : null
}
