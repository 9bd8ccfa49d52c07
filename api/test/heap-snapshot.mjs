// Loaded into a server of a test with --import: writes a heap snapshot, after a garbage collection, when it is asked to.
import { writeHeapSnapshot } from 'node:v8'

process.on('message', ({ snapshot }) => {
  writeHeapSnapshot(snapshot)
  process.send({ written: snapshot })
})
process.channel.unref()
