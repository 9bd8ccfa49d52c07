import { parentPort, workerData } from 'node:worker_threads'
import { rewriteSvg } from './svg.ts'
import { WrongFile } from './wrong-file.ts'

function answer() {
  try {
    return rewriteSvg(Buffer.from(workerData as Uint8Array))
  } catch (error) {
    if (error instanceof WrongFile) return { refusal: error.message }
    throw error
  }
}

parentPort?.postMessage(answer())
