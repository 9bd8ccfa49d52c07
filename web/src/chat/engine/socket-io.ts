// A chunk of its own with only this: importing the package itself loads all that it exports.
export { io } from 'socket.io-client'
