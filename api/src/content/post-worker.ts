import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '@proctorpass/shared/errors'
import type { PostWork } from './clean-post.ts'
import { cleanPost } from './post-html.ts'

function answer() {
  const { html, ownOrigin } = workerData as PostWork
  try {
    return cleanPost(html, ownOrigin)
  } catch (error) {
    if (error instanceof AppError) return { refusal: error.message }
    throw error
  }
}

parentPort?.postMessage(answer())
