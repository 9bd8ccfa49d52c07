import { randomInt } from 'node:crypto'
import { CLIENT_ID_LENGTH } from '@proctorpass/shared/limits'

const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Returns 20 random letters and digits: the ID of a site, or of a conversation that the server begins. */
export function randomId(): string {
  return Array.from({ length: CLIENT_ID_LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join('')
}
