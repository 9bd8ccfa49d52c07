/** The first admin of every app and server that the tests start. */
export const ADMIN = { userName: 'admin', password: 'lantern-orbit-velvet' }
