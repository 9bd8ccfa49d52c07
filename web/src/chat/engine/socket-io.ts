// This chunk contains only this import, because importing the package itself loads everything that it exports.
export { io } from 'socket.io-client'
